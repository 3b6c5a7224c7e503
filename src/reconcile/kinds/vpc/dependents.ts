import type { View } from '../../process/context.ts';
import type { LookForDependents } from '../../observe/observe-deletion.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import { vpcEndpointOf } from '../service/vpc-endpoint.ts';

/** Services that are attached to this VPC. */
export function vpcDependents({ usable: account, identity }: ObservedObject, { claims }: View): LookForDependents {
  return async (notBefore) => {
    if (!account || identity.state !== 'known') return undefined;
    const list = account.observer.services;
    const { items } = await list.since(notBefore);
    const attached = [...items.values()].filter((service) => {
      const seen = vpcEndpointOf(service);
      return seen.state === 'attached' && seen.endpoint.vpc_id === identity.id;
    });
    return attached.map(({ service_id: id = '' }) => ({
      noun: 'attached service',
      id,
      list,
      owner: claims.ownerOf('ManagedService', account.projectId, id),
    }));
  };
}
