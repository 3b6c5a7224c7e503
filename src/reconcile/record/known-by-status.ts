import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ManagedServiceStatus } from '../../resources/managed-service.ts';
import type { ManagedVpcStatus } from '../../resources/managed-vpc.ts';
import type { ReplicaSetStatus } from '../../resources/replica-set.ts';
import { peeringKey } from './peering-key.ts';
import { recordIn, type ResourceRecord } from './record.ts';

/**
 * The record of an object as others may rely on it: they hold for its sake what it hangs on, and never count less than it does itself. While status alone has
 * the id, that is the record as it will be written back, also if Kubernetes refuses to take it. Whoever looks at an object that it does not visit asks here;
 * {@link recordIn} has what is written, for whoever needs just that: an open create, and what only a record says.
 */
export function countingRecordIn(object: ManagedObject): ResourceRecord {
  const written = recordIn(object);
  return written.id === undefined ? completedByStatus(written, object) : written;
}

/** A record without an id, completed with all that status knows: the record as it will be written back. */
export function completedByStatus(
  written: ResourceRecord,
  object: ManagedObject,
  projectId = object.status?.projectId ?? written.projectId,
): ResourceRecord {
  const { id, clusterUid: known } = object.status ?? {};
  const clusterUid = (id === undefined ? undefined : known) ?? written.clusterUid;
  return {
    ...written,
    ...(id === undefined ? {} : { id }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(clusterUid === undefined ? {} : { clusterUid }),
    ...partsIn(object),
  };
}

/** The status of every kind: no field has two meanings. */
type AnyStatus = Partial<ManagedServiceStatus & ManagedVpcStatus & ReplicaSetStatus>;

/** The parts of a lost record that status knows beside the id. */
function partsIn(object: ManagedObject): Partial<ResourceRecord> {
  const status: AnyStatus = object.status ?? {};
  const last = status.lastOperation;
  // An attachment that was accepted a moment ago does not show yet.
  const attached = last?.operation === 'attachServiceToVpc' ? last.wanted : status.vpcManaged === true ? status.vpcId : undefined;
  const forkSourceId = status.service?.forkedFrom?.serviceId;
  return {
    ...(attached === undefined ? {} : { vpcAttachment: attached }),
    ...(forkSourceId === undefined ? {} : { forkSourceId }),
    ...(status.serviceId === undefined ? {} : { parentServiceId: status.serviceId }),
    ...madePeerings(status),
  };
}

/** The peerings that this object created. */
function madePeerings({ peerings = [] }: AnyStatus): Partial<ResourceRecord> {
  const made = peerings.flatMap(({ managed, id, peerAccountId = '', peerRegionCode = '', peerVpcId = '' }) =>
    managed === true && id !== undefined ? [[peeringKey({ peerAccountId, peerRegionCode, peerVpcId }), { id }] as const] : [],
  );
  return made.length === 0 ? {} : { peerings: Object.fromEntries(made) };
}
