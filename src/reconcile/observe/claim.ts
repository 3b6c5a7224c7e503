import { annotations } from '../../resources/annotations.ts';
import { undecidedAmong, type ClaimTable } from '../process/claims.ts';
import { takeOverText } from '../situation/take-over.ts';
import { openAttemptIn } from '../record/attempt.ts';
import type { ResourceRecord } from '../record/record.ts';
import type { Claim, Identity } from '../situation/situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { RuleOptions } from '../situation/options.ts';

interface Known {
  readonly identity: Identity;
  readonly record: ResourceRecord;
  /** The id in the ledger entry of this very object. */
  readonly idInLedger: string | undefined;
}

/** Whether this object may act on its resource: first the cluster must be right, then the earliest claim counts. Pure but for the claim table. */
export function claimOf(
  object: ManagedObject,
  { identity, record, idInLedger }: Known,
  clusterUid: string,
  options: RuleOptions,
  claims: ClaimTable,
): Claim {
  const { uid, annotations: texts } = object.metadata;
  const id = record.id ?? (identity.state === 'known' ? identity.id : undefined);
  const projectId = record.projectId ?? (identity.state === 'known' ? identity.projectId : undefined);
  const isConfirmed = texts?.[annotations.takeOver] === takeOverText(object, { identity, record });
  const accepts = (cluster: string | undefined) => isConfirmed || (cluster !== undefined && options.acceptedClusters.includes(cluster));

  const cluster = clusterIn(object, record);
  const isOfAnotherCluster = cluster !== undefined && cluster !== clusterUid;
  if (isOfAnotherCluster && !accepts(cluster)) return { state: 'elsewhere', where: `another cluster (${cluster})` };
  // Only the operator writes the ledger: no copy of the record counts before it, also while `kubectl replace` has taken the record away.
  const isBound = id !== undefined && id === idInLedger && projectId !== undefined && !isOfAnotherCluster;
  if (isBound && claims.claimantsOf(object.kind, projectId, id).every((other) => other.uid === uid || !other.isOriginal))
    return { state: 'ours' };
  const create = openAttemptIn(record, object)?.id ?? record.createdBy;
  for (const claimants of [
    id === undefined || projectId === undefined ? [] : claims.claimantsOf(object.kind, projectId, id),
    create === undefined ? [] : claims.claimantsOfCreate(create),
  ]) {
    const [owner] = claimants;
    const equals = undecidedAmong(claimants);
    const rival = equals.find((other) => other.uid !== uid);
    if (rival && equals.some((each) => each.uid === uid)) {
      if (!isConfirmed) return { state: 'undecided', rival };
    } else if (owner && owner.uid !== uid) return { state: 'another', owner };
  }
  if (isOfAnotherCluster) return { state: 'restored' };
  if (record.objectUid === undefined || record.objectUid === uid) return { state: 'ours' };
  // No other object claims the resource, but this process does not see all objects.
  if ((id ?? create) !== undefined && !options.seesAllObjects && !isConfirmed) {
    return { state: 'elsewhere', where: 'a namespace that this operator does not see' };
  }
  return { state: 'restored' };
}

/** The cluster whose operator follows the resource. Where the record does not know the id, it is that of the status. */
function clusterIn({ status }: ManagedObject, { id, clusterUid }: ResourceRecord): string | undefined {
  return id !== undefined || status?.id === undefined ? clusterUid : (status.clusterUid ?? clusterUid);
}
