import { recordOf } from '../../ledger/entry.ts';
import type { Service } from '../../../cloud/wire/service.ts';
import type { View } from '../../wiring/context.ts';
import type { ListedDependent } from '../../observe/observe-phase.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import { heldChangesOf, type ManagedObject } from '../../../resources/managed-object.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import { wakeCommand, wantedPower } from '../../../resources/running-hours.ts';
import { isObserved } from '../../situation/options.ts';
import { attachedTo } from '../service/fields.ts';

/** Services that are or may be attached, or soon will be, according to the cloud or to their objects: an attachment shows late. */
export async function vpcDependents(
  {
    usable: account,
    record: { id: vpc },
    object: own,
  }: Pick<ObservedObject, 'usable' | 'record' | 'object'>,
  { claims, caches, clock, options }: Pick<View, 'claims' | 'caches' | 'clock' | 'options'>,
  notBefore: number,
): Promise<readonly ListedDependent[] | undefined> {
  if (!account || vpc === undefined) return undefined;
  const list = account.observer.services;
  const services = await list.since(notBefore);
  const objectOf = (id: string) => {
    const owner = claims.ownerOf('ManagedService', account.projectId, id);
    return owner && caches.of('ManagedService').get(owner.key);
  };
  const knowsOfIt = (object: ManagedService) =>
    [object.status?.vpcId, recordOf(object, caches).vpcAttachment].includes(vpc);
  const mayBeAttached = (id: string) => {
    const object = objectOf(id);
    return object === undefined || knowsOfIt(object);
  };
  const isHolder = (service: Service): boolean => {
    const object = objectOf(service.service_id);
    if (object && knowsOfIt(object)) return true;
    const place = attachedTo(service, object ? recordOf(object, caches) : {});
    return place === undefined || place === vpc;
  };
  if ((await list.unexplained(services, mayBeAttached)).length > 0) return undefined;
  return [...services.items.values()].filter(isHolder).map((service) => ({
    noun: 'attached service',
    id: service.service_id,
    list,
    owner: claims.ownerOf('ManagedService', account.projectId, service.service_id),
    remedy: remedyFor(service, objectOf(service.service_id), own, { clock, options }),
  }));
}

/** The action that detaches a service, and that works for its object as it is. The cloud detaches no stopped service. */
function remedyFor(
  { status }: Service,
  object: ManagedService | undefined,
  { metadata: { namespace: ownNamespace } }: ManagedObject,
  { clock, options }: Pick<View, 'clock' | 'options'>,
): string {
  const takeOut = 'take vpcRef or vpcId out of its spec';
  if (object === undefined) return `${takeOut}, or detach it in the cloud, or delete it`;
  const isStopped = status === 'PAUSED';
  if (isObserved(object, options))
    return `the operator only observes it: ${isStopped ? 'start and detach it' : 'detach it'}, or delete it, in the cloud`;
  const { name, namespace } = object.metadata;
  // A tenant reads no names of another namespace.
  if (namespace !== ownNamespace) return 'ask the owner of its namespace to detach or delete it';
  if (object.spec.suspend === true)
    return `it is suspended: managed-db resume msvc/${name} -n ${namespace}`;
  if (heldChangesOf(object).some(({ operation }) => operation === 'detachServiceFromVpc'))
    return `its detach waits for a window or an approval: managed-db why msvc/${name} -n ${namespace}`;
  if (!isStopped || wantedPower(object, clock.wallTime()) === 'Running')
    return `${takeOut}, or detach it in the cloud, or delete it`;
  const isNamed = object.spec.vpcRef !== undefined || object.spec.vpcId !== undefined;
  const start =
    object.spec.runningHours === undefined
      ? 'set its powerState to Running'
      : `wake it (${wakeCommand(object)})`;
  return `${isNamed ? `${takeOut}, and ` : ''}${start}, since a stopped service keeps its VPC; or delete it`;
}
