import type { Service } from '../../../cloud/wire/service.ts';
import type { View } from '../../process/context.ts';
import type { LookForDependents } from '../../observe/observe-deletion.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import { countingRecordIn } from '../../record/known-by-status.ts';
import { attachmentsIn } from '../../record/record.ts';
import { attachedTo } from '../service/vpc-endpoint.ts';

/**
 * Services that are attached to this VPC, or on their way into it: as the cloud shows, or as their objects know, since a list may be old, and an attachment
 * shows late. One that is attached to nobody knows which VPC may be attached to this one.
 */
export function vpcDependents(
  { usable: account, identity }: Pick<ObservedObject, 'usable' | 'identity'>,
  { claims, caches }: Pick<View, 'claims' | 'caches'>,
): LookForDependents {
  return async (notBefore) => {
    if (!account || identity.state !== 'known') return undefined;
    const list = account.observer.services;
    const services = await list.since(notBefore);
    const objectOf = (id: string) => {
      const owner = claims.ownerOf('ManagedService', account.projectId, id);
      return owner && caches.of('ManagedService').get(owner.key);
    };
    const knowsOfIt = (object: ManagedService) => [object.status?.vpcId, ...attachmentsIn(countingRecordIn(object))].includes(identity.id);
    const mayBeAttached = (id: string) => {
      const object = objectOf(id);
      return object === undefined || knowsOfIt(object);
    };
    const vpcOf = (service: Service) => {
      const object = objectOf(service.service_id ?? '');
      return object && knowsOfIt(object) ? identity.id : attachedTo(service, object ? countingRecordIn(object) : {});
    };
    if ((await list.unexplained(services, { id: mayBeAttached })).missing.length > 0) return undefined;
    const found = [...services.items.values(), ...services.unidentified].map((service) => ({
      id: service.service_id ?? '',
      vpc: vpcOf(service),
    }));
    const attached = found.filter(({ vpc }) => vpc === identity.id || vpc === undefined);
    return attached.map(({ id, vpc }) => ({
      noun: 'attached service',
      id,
      list,
      owner: claims.ownerOf('ManagedService', account.projectId, id),
      remedy: remedyOf(objectOf(id), vpc),
    }));
  };
}

/**
 * A service outlives its VPC. What this operator did not attach, it does not detach.
 * @param vpcId undefined if it is not known where the service is attached
 */
export function remedyOf(object: ManagedService | undefined, vpcId: string | undefined): string {
  if (vpcId === undefined) {
    const look = 'look in the cloud which VPC it is attached to, which is not shown here';
    return `${look}: detach it from this one; if it is attached to another, this VPC can be deleted there, once spec.deletionPolicy is Retain`;
  }
  const isOurs = object !== undefined && attachmentsIn(countingRecordIn(object)).includes(vpcId);
  return `${isOurs ? detachmentOf(object) : 'detach it in the cloud'}, or delete it if nobody needs its data`;
}

function detachmentOf({ spec }: ManagedService): string {
  if (spec.vpcId === undefined && spec.vpcRef === undefined)
    return 'wait until its object lets go of it: within minutes, unless its status says why nothing is changed';
  return `take ${spec.vpcId === undefined ? 'vpcRef' : 'vpcId'} out of its spec to detach it`;
}
