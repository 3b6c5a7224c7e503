import type { CloudError } from '../../cloud/cloud-error.ts';
import {
  recordIn,
  type EntryContent,
  type LedgerEntry,
  type RecordedPeering,
  type ResourceRecord,
  type Attempt,
} from '../../resources/ledger-entry.ts';
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
  /** Notes that this process is about to delete an entry. */
  expectsEnd(entry: LedgerEntry): void;
  isEndExpected(entry: LedgerEntry): boolean;
  ofResource(hash: string): readonly LedgerEntry[];
  /** Also of objects that are gone. */
  ofName(kind: Kind, key: ResourceKey): readonly LedgerEntry[];
}

interface InLedger {
  readonly ledger: Pick<Ledger, 'namespace' | 'entries'>;
}

/** Creating a Secret of this name is the lock. */
export function entryName({
  kind,
  metadata: { uid },
}: Pick<ManagedObject, 'kind' | 'metadata'>): string {
  return `${kind.toLowerCase()}-${uid}`;
}

export function entryKey(name: string, { ledger }: InLedger): ResourceKey {
  return resourceKey(ledger.namespace, name);
}

export function entryOf(
  object: Pick<ManagedObject, 'kind' | 'metadata'>,
  caches: InLedger,
): LedgerEntry | undefined {
  return caches.ledger.entries.get(entryKey(entryName(object), caches));
}

/** Empty if the object has no ledger entry. */
export function recordOf(
  object: Pick<ManagedObject, 'kind' | 'metadata'>,
  caches: InLedger,
): ResourceRecord {
  return recordIn(entryOf(object, caches));
}

/**
 * The record after the attempt's resource is known. A replacement does not have the peerings or the attachment of the lost resource.
 */
export function concluded(
  record: ResourceRecord,
  id: string,
  now: number,
  outcome: 'created' | 'adopted' = 'created',
): ResourceRecord {
  const {
    attempt,
    peerings: _peerings,
    vpcAttachment: _attachment,
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

export function withoutAttempt({ attempt: _closed, ...rest }: ResourceRecord): ResourceRecord {
  return rest;
}

/** Whether the record is about a resource, or about a create that may have made a resource. */
export function hasResource({ id, attempt }: ResourceRecord): boolean {
  return id !== undefined || attempt !== undefined;
}

export function withPeering(
  record: ResourceRecord,
  key: string,
  peering: RecordedPeering | undefined,
): ResourceRecord {
  const { [key]: _before, ...others } = record.peerings ?? {};
  return { ...record, peerings: peering === undefined ? others : { ...others, [key]: peering } };
}

export function withAttachment(
  { vpcAttachment: _before, ...rest }: ResourceRecord,
  id: string | undefined,
): ResourceRecord {
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

/** Lists may lag a write by this time. (docs/safety.md, Changing) */
export const listLagMs = 10_000;
/**
 * Milliseconds after an attempt before lists can close it. A resource or a refusal closes it at once; otherwise
 * two lists must agree, the second begun after this time.
 */
export const attemptOpenMs = 120_000;
/** Milliseconds after an attempt's `at` in which its request must begin to be written, and after which it is aborted. */
export const sendWithinMs = 10_000;
/** So early that status reports the missing answer within 40 s. */
const attemptTimeoutMs = 35_000;
/** Milliseconds that the request may still take. `begun` is the start of the attempt on the steady clock, in real time. */
export function remainingMs(begun: number): number {
  return Math.max(attemptTimeoutMs - (performance.now() - begun), 1);
}

export type Verdict =
  | { readonly kind: 'none' }
  | { readonly kind: 'one'; readonly id: string }
  | { readonly kind: 'ambiguous'; readonly ids: readonly string[] };

export type ObservedAttempt =
  | { readonly state: 'looking'; readonly attempt: Attempt; readonly again: number }
  | { readonly state: 'judged'; readonly attempt: Attempt; readonly verdict: Verdict }
  | {
      readonly state: 'unknown';
      readonly attempt: Attempt;
      readonly error: CloudError | undefined;
    };

/** Whether the attempt may have created the resource of this id: it is unclaimed, and did not exist before under this name. */
export function mayBeNew(
  { sameNameIds }: Attempt,
  id: string,
  isClaimed: (id: string) => boolean,
): boolean {
  return !sameNameIds.includes(id) && !isClaimed(id);
}

/**
 * Decides the result of an attempt. A generated name is unique, so the only resource of that name is the
 * result. Under a chosen name, a resource may have another creator: a user must decide.
 */
export function judge(
  attempt: Attempt,
  items: ReadonlyMap<string, { readonly name?: string | undefined }>,
  isClaimed: (id: string) => boolean,
): Verdict {
  const wanted = attemptName(attempt);
  const ids = [...items]
    .filter(([id, { name }]) => name === wanted && mayBeNew(attempt, id, isClaimed))
    .map(([id]) => id);
  const [first, ...others] = ids;
  if (first === undefined) return { kind: 'none' };
  return hasGeneratedName(attempt) && others.length === 0
    ? { kind: 'one', id: first }
    : { kind: 'ambiguous', ids };
}

export function attemptName(attempt: Attempt): string {
  const name = attempt.request['name'];
  return typeof name === 'string' ? name : '';
}

/** `<metadata.name>-<6 characters of the attempt id>`, within the cloud's limit of 128 characters. */
export function generatedName(prefix: string, attemptId: string): string {
  return `${prefix.slice(0, 121)}-${attemptId.slice(0, 6)}`;
}

/** Whether the name contains part of the attempt's id: then no other creator uses it. */
export function hasGeneratedName(attempt: Attempt): boolean {
  return attemptName(attempt).endsWith(`-${attempt.id.slice(0, 6)}`);
}
