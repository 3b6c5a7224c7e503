import {
  recordIn,
  type EntryContent,
  type LedgerEntry,
  type MadePeering,
  type RecordedPeering,
  type ResourceRecord,
} from '../../resources/ledger-entry.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { resourceKey, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';

export type { Attempt, MadePeering, RecordedPeering, ResourceRecord } from '../../resources/ledger-entry.ts';

/** The VPCs to which this object attached its service, or may have. It is detached from no other one, unless it stands in the way. */
export function attachmentsIn({ vpcAttachment, earlierAttachments = [] }: ResourceRecord): readonly string[] {
  return vpcAttachment === undefined ? earlierAttachments : [vpcAttachment, ...earlierAttachments];
}

/** The entries of the ledger, without their passwords. */
export interface Ledger {
  readonly namespace: string;
  readonly entries: ObjectCache<LedgerEntry>;
  /** Whether this operator looks after the namespace of an object. Several installations may share a ledger. */
  isWatched(namespace: string): boolean;
  /** Notes the content that this process is about to write. The event of it may come before the reply. */
  expects(name: string, content: EntryContent): void;
  /** Whether an entry has the content that this process wrote last, so that it is no news to its owner. */
  isExpected(entry: LedgerEntry): boolean;
  /** The entries about a resource, by its hash. */
  ofResource(hash: string): readonly LedgerEntry[];
  /** The entries of all objects of this kind, namespace and name, also of objects that are gone. */
  ofName(kind: Kind, key: ResourceKey): readonly LedgerEntry[];
}

interface InLedger {
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

/** The name of an object's entry. Creating a Secret of that name is the lock. */
export function entryName({ kind, metadata: { uid } }: Pick<ManagedObject, 'kind' | 'metadata'>): string {
  return `${kind.toLowerCase()}-${uid}`;
}

export function entryKey(name: string, { ledger }: InLedger): ResourceKey {
  return resourceKey(ledger.namespace, name);
}

/** The entry of an object, from the cache. */
export function entryOf(object: Pick<ManagedObject, 'kind' | 'metadata'>, caches: InLedger): LedgerEntry | undefined {
  return caches.ledger.entries.get(entryKey(entryName(object), caches));
}

/** The record of an object, from its ledger entry; empty if it has none. */
export function recordOf(object: Pick<ManagedObject, 'kind' | 'metadata'>, caches: InLedger): ResourceRecord {
  return recordIn(entryOf(object, caches));
}

/**
 * The record after the attempt's resource is known: the attempt is closed, and the claim stands. A resource that replaces a lost one does not have that one's
 * peerings or attachment. Its parent, or its fork source, is taken from the request.
 */
export function concluded(record: ResourceRecord, id: string, now: number, outcome: 'created' | 'adopted' = 'created'): ResourceRecord {
  const {
    attempt,
    peerings: _peerings,
    removedPeerings: _removed,
    vpcAttachment: _attachment,
    earlierAttachments: _earlier,
    deletionStarted: _deletion,
    isShared: _shared,
    ...rest
  } = record;
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

/** The record after a failed attempt. All other knowledge is kept. */
export function withoutAttempt({ attempt: _closed, ...rest }: ResourceRecord): ResourceRecord {
  return rest;
}

export function withPeering(record: ResourceRecord, key: string, peering: RecordedPeering | undefined): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}

/** As many as a spec may name at once. */
const mostRemoved = 64;

/** The record after a peering was removed. */
export function withoutRemoved(record: ResourceRecord, key: string, { id }: MadePeering): ResourceRecord {
  return { ...withPeering(record, key, undefined), removedPeerings: [...(record.removedPeerings ?? []), id].slice(-mostRemoved) };
}

/** The record with these attachments, the last one first. */
export function withAttachments(record: ResourceRecord, [last, ...earlier]: readonly string[]): ResourceRecord {
  const { vpcAttachment: _attachment, earlierAttachments: _earlier, ...rest } = record;
  return {
    ...rest,
    ...(last === undefined ? {} : { vpcAttachment: last }),
    ...(earlier.length === 0 ? {} : { earlierAttachments: earlier }),
  };
}

/** The ids of the peerings that the record has. */
export function peeringIds({ peerings = {} }: ResourceRecord): readonly string[] {
  return Object.values(peerings).flatMap((peering) => ('id' in peering ? [peering.id] : []));
}

/** The identity of a peering, which has no name. */
export interface PeeringAddress {
  readonly peerAccountId: string;
  readonly peerRegionCode: string;
  readonly peerVpcId: string;
}

/** The key of a peering in the record of its VPC. */
export function peeringKey({ peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress): string {
  return `${peerAccountId}/${peerRegionCode}/${peerVpcId}`;
}
