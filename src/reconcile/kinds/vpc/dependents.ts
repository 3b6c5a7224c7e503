import { recordOf } from '../../record/record.ts';
import type { Service } from '../../../cloud/wire/service.ts';
import type { View } from '../../process/context.ts';
import type { Dependent } from '../../situation/situation.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import { attachedTo } from '../service/fields.ts';

/**
 * Services that are attached to this VPC, or about to be: according to the cloud, or to their objects, since a
 * list may be old, and an attachment shows late. A service that is attached to an unknown VPC may be attached
 * to this VPC.
 */
export async function vpcDependents(
  { object: vpc, usable: account, identity }: Pick<ObservedObject, 'usable' | 'identity'> & { readonly object: ManagedVpc },
  { claims, caches }: Pick<View, 'claims' | 'caches'>,
  notBefore: number,
): Promise<readonly Dependent[] | undefined> {
  if (!account || identity.state !== 'known') return undefined;
  const list = account.observer.services;
  const services = await list.since(notBefore);
  const objectOf = (id: string) => {
    const owner = claims.ownerOf('ManagedService', account.projectId, id);
    return owner && caches.of('ManagedService').get(owner.key);
  };
  const knowsOfIt = (object: ManagedService) => [object.status?.vpcId, recordOf(object, caches).vpcAttachment].includes(identity.id);
  const mayBeAttached = (id: string) => {
    const object = objectOf(id);
    return object === undefined || knowsOfIt(object);
  };
  const placeOf = (service: Service): 'here' | 'elsewhere' | 'unknown' => {
    const object = objectOf(service.service_id);
    if (object && knowsOfIt(object)) return 'here';
    const id = attachedTo(service, object ? recordOf(object, caches) : {});
    if (id === undefined) return 'unknown';
    return id === identity.id ? 'here' : 'elsewhere';
  };
  if ((await list.unexplained(services, mayBeAttached)).length > 0) return undefined;
  const found = [...services.items].map(([id, service]) => ({ id, place: placeOf(service) }));
  const holders = found.filter(({ place }) => place !== 'elsewhere');
  return holders.map(({ id, place }) => ({
    noun: 'attached service',
    id,
    list,
    owner: claims.ownerOf('ManagedService', account.projectId, id),
    remedy: remedyOf(objectOf(id), place === 'here' ? identity.id : undefined, vpc, caches),
  }));
}

/**
 * A service outlives its VPC. The operator detaches only its own attachments.
 * @param vpcId undefined if it is not known where the service is attached
 */
export function remedyOf(
  object: ManagedService | undefined,
  vpcId: string | undefined,
  vpc: Pick<ManagedVpc, 'metadata'>,
  caches: Pick<View['caches'], 'ledger'>,
): string {
  if (vpcId === undefined) {
    return 'detach it from this VPC in the cloud';
  }
  const isOurs = object !== undefined && recordOf(object, caches).vpcAttachment === vpcId;
  return `${isOurs ? detachmentOf(object, vpcId, vpc) : 'detach it in the cloud'}, or delete it`;
}

/** A spec that names another VPC has to keep it: the operator is moving the service there. */
function detachmentOf({ spec, metadata }: ManagedService, vpcId: string, vpc: Pick<ManagedVpc, 'metadata'>): string {
  const isHere = metadata.namespace === vpc.metadata.namespace && spec.vpcRef?.name === vpc.metadata.name;
  const field = spec.vpcId === vpcId ? 'vpcId' : isHere ? 'vpcRef' : undefined;
  const acts = actsAgain(spec);
  if (field !== undefined) return `${acts}take ${field} out of its spec`;
  return `${acts}wait until its object detaches it`;
}

/** A suspended or observing object releases nothing. */
function actsAgain({ suspend, managementPolicy }: ManagedService['spec']): string {
  if (suspend === true) return 'take suspend out of its spec, ';
  return managementPolicy === 'Observe' ? 'take managementPolicy out of its spec, and ' : '';
}
