import type { Service } from '../../../cloud/wire/service.ts';
import type { View } from '../../process/context.ts';
import type { LookForDependents } from '../../observe/observe-deletion.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import { countingRecordIn } from '../../record/known-by-status.ts';
import { attachmentsIn } from '../../record/record.ts';
import { attachedTo } from '../service/vpc-endpoint.ts';

/** Services that are attached to this VPC. */
export function vpcDependents({ usable: account, identity }: ObservedObject, { claims, caches }: View): LookForDependents {
  return async (notBefore) => {
    if (!account || identity.state !== 'known') return undefined;
    const list = account.observer.services;
    const services = await list.since(notBefore);
    const objectOf = (id: string) => {
      const owner = claims.ownerOf('ManagedService', account.projectId, id);
      return owner && caches.of('ManagedService').get(owner.key);
    };
    const mayBeAttached = (id: string) => {
      const object = objectOf(id);
      return object === undefined || [object.status?.vpcId, ...attachmentsIn(countingRecordIn(object))].includes(identity.id);
    };
    const isAttached = (service: Service) => {
      const object = objectOf(service.service_id ?? '');
      return attachedTo(service, object ? countingRecordIn(object) : {}) === identity.id;
    };
    if ((await list.unexplained(services, { id: mayBeAttached })).missing.length > 0) return undefined;
    const attached = [...services.items.values(), ...services.unidentified].filter(isAttached);
    return attached.map(({ service_id: id = '' }) => ({
      noun: 'attached service',
      id,
      list,
      owner: claims.ownerOf('ManagedService', account.projectId, id),
      remedy: remedyOf(objectOf(id), identity.id),
    }));
  };
}

/** A service outlives its VPC. What this operator did not attach, it does not detach. */
export function remedyOf(object: ManagedService | undefined, vpcId: string): string {
  const isOurs = object !== undefined && attachmentsIn(countingRecordIn(object)).includes(vpcId);
  const field = object?.spec.vpcId === undefined ? 'vpcRef' : 'vpcId';
  return `${isOurs ? `take ${field} out of its spec to detach it` : 'detach it in the cloud'}, or delete it if nobody needs its data`;
}
