import { replicaSetId, serviceId, vpcId } from '../../cloud/wire/ids.ts';
import type { ResourceRecord } from '../record/record.ts';
import { deletionMark } from '../situation/recreation.ts';
import type { Situation } from '../situation/situation.ts';
import type { Action } from '../step/action.ts';
import type { CloudDeletion } from '../step/cloud-change.ts';

/** The deletion of a resource. The decision is recorded first, unless the record has it already. */
export function deleteAction(situation: Situation, id: string): Extract<Action, { type: 'delete' }> {
  const record = situation.deletion.started ? undefined : deletionRecord(situation, id);
  return { type: 'delete', record, ...deletionOf(situation, id) };
}

/** The record after a deletion was decided. */
export function deletionRecord({ object, record }: Situation, id: string): ResourceRecord {
  return { ...record, deletionStarted: deletionMark(id, object) };
}

function deletionOf({ object, record }: Situation, id: string): CloudDeletion {
  switch (object.kind) {
    case 'ManagedVpc':
      return { operation: 'deleteVpc', id: vpcId.parse(id) };
    case 'ManagedService':
      return { operation: 'deleteService', id: serviceId.parse(id) };
    case 'ReplicaSet':
      return { operation: 'deleteReplicaSet', parentId: serviceId.parse(record.parentServiceId), id: replicaSetId.parse(id) };
  }
}
