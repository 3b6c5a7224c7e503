import { CloudError } from '../../cloud/cloud-error.ts';
import type { Context } from '../context.ts';
import type { ObjectSight } from '../observe/observe-object.ts';
import { vpcEndpointOf } from '../service/vpc-endpoint.ts';
import type { Dependent } from '../situation.ts';

/** What holds a deletion is looked at anew each time, calls of the same moment aside. */
const freshMs = 2_000;

/** Services that are attached to this VPC. An error when they could not be read. */
export async function vpcDependents(sight: ObjectSight, context: Context): Promise<readonly Dependent[] | CloudError | undefined> {
  const account = sight.usable;
  if (!account || sight.identity.state !== 'known') return undefined;
  const { id } = sight.identity;
  try {
    const { items: services } = await account.observer.services.since(context.clock.now() - freshMs);
    const attached = [...services.values()].filter((service) => {
      const seen = vpcEndpointOf(service);
      return seen.state === 'attached' && seen.endpoint.vpc_id === id;
    });
    return attached.map(({ service_id: serviceId = '' }) => {
      const owner = context.claims.ownerOf('ManagedService', account.projectId, serviceId);
      return { noun: 'attached service', id: serviceId, object: owner && `${owner.kind} ${owner.key}` };
    });
  } catch (error) {
    if (error instanceof CloudError) return error;
    throw error;
  }
}
