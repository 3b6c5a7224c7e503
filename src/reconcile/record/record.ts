import { recordIn, type EntryContent, type LedgerEntry, type RecordedPeering, type ResourceRecord } from '../../resources/ledger-entry.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { resourceKey, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';

/** The ledger entries, without their passwords. */
export interface Ledger {
  readonly namespace: string;
  readonly entries: ObjectCache<LedgerEntry>;
  /** Whether this operator watches the namespace of an object. Several installations may share a ledger. */
  isWatched(namespace: string): boolean;
  /** Notes the content that this process is about to write: its event may come before the reply. */
  expects(name: string, content: EntryContent): void;
  /** Whether an entry has the content that this process wrote last, so that it is no news to its owner. */
  isExpected(entry: LedgerEntry): boolean;
  ofResource(hash: string): readonly LedgerEntry[];
  /** Also of objects that are gone. */
  ofName(kind: Kind, key: ResourceKey): readonly LedgerEntry[];
}

interface InLedger {
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

/** Creating a Secret of this name is the lock. */
export function entryName({ kind, metadata: { uid } }: Pick<ManagedObject, 'kind' | 'metadata'>): string {
  return `${kind.toLowerCase()}-${uid}`;
}

export function entryKey(name: string, { ledger }: InLedger): ResourceKey {
  return resourceKey(ledger.namespace, name);
}

export function entryOf(object: Pick<ManagedObject, 'kind' | 'metadata'>, caches: InLedger): LedgerEntry | undefined {
  return caches.ledger.entries.get(entryKey(entryName(object), caches));
}

/** Empty if the object has no ledger entry. */
export function recordOf(object: Pick<ManagedObject, 'kind' | 'metadata'>, caches: InLedger): ResourceRecord {
  return recordIn(entryOf(object, caches));
}

/**
 * The record after the attempt's resource is known: the attempt is closed, and the claim stands. A replacement
 * does not have the peerings or the attachment of the lost resource. Its parent, or its fork source, is taken
 * from the request.
 */
export function concluded(record: ResourceRecord, id: string, now: number, outcome: 'created' | 'adopted' = 'created'): ResourceRecord {
  const { attempt, peerings: _peerings, vpcAttachment: _attachment, deletionStarted: _deletion, isShared: _shared, ...rest } = record;
  const { parentId, sourceId } = attempt?.request ?? {};
  return {
    ...rest,
    id,
    outcome,
    claimedAt: new Date(now).toISOString(),
    ...(typeof parentId === 'string' ? { parentServiceId: parentId } : {}),
    ...(typeof sourceId === 'string' ? { forkSourceId: sourceId } : {}),
  };
}

export function withoutAttempt({ attempt: _closed, ...rest }: ResourceRecord): ResourceRecord {
  return rest;
}

export function withPeering(record: ResourceRecord, key: string, peering: RecordedPeering | undefined): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}

export function withAttachment({ vpcAttachment: _before, ...rest }: ResourceRecord, id: string | undefined): ResourceRecord {
  return id === undefined ? rest : { ...rest, vpcAttachment: id };
}

export function peeringIds({ peerings = {} }: ResourceRecord): readonly string[] {
  return Object.values(peerings).flatMap((peering) => ('id' in peering ? [peering.id] : []));
}

export interface PeeringAddress {
  readonly peerAccountId: string;
  readonly peerRegionCode: string;
  readonly peerVpcId: string;
}

export function peeringKey({ peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress): string {
  return `${peerAccountId}/${peerRegionCode}/${peerVpcId}`;
}
