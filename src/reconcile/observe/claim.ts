import type { ClaimTable } from '../claims.ts';
import type { ResourceRecord } from '../record.ts';
import type { Claim, ManagedObject, Policy } from '../situation.ts';
import { annotations } from '../../resources/annotations.ts';

/** Whether this object may act on what its record names: cluster first, then the earliest claim. Pure but for the table. */
export function claimOf(object: ManagedObject, record: ResourceRecord, clusterUid: string, policy: Policy, claims: ClaimTable): Claim {
  const { id, projectId } = record;
  if (record.clusterUid !== undefined && record.clusterUid !== clusterUid) {
    const takenOver = id !== undefined && object.metadata.annotations?.[annotations.takeOver] === id;
    return takenOver || policy.acceptedClusters.includes(record.clusterUid)
      ? { state: 'restored' }
      : { state: 'elsewhere', clusterUid: record.clusterUid };
  }
  if (id !== undefined && projectId !== undefined) {
    const owner = claims.ownerOf(object.kind, projectId, id);
    if (owner && owner.uid !== object.metadata.uid) return { state: 'another', owner: `${owner.kind} ${owner.key}` };
  }
  return record.objectUid !== undefined && record.objectUid !== object.metadata.uid ? { state: 'restored' } : { state: 'ours' };
}
