import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { attachmentsIn, readRecord, recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations, cloudResourceFinalizer, connectionLabel, credentialsLabel } from '../../../src/resources/annotations.ts';
import { ledgerEntries, passwordKeys, type EntryContent } from '../../../src/resources/ledger-entry.ts';
import { ledgerNamespace } from '../../support/world.ts';

/** What a write to Kubernetes is for. The operator makes no others; tests check that. */
export const allPurposes = [
  // An object's metadata.
  'attempt opened',
  'attempt given up',
  'answer recorded',
  'adoption',
  'record restored',
  'claim taken over',
  'peering begun',
  'peering recorded',
  'peering forgotten',
  'attachment noted',
  'attachment forgotten',
  'deletion marked',
  'object let go',
  // Its status, and events on it.
  'status',
  'event',
  // The entry of a service in the ledger.
  'entry opened',
  'entry bound',
  'password begun',
  'password dropped',
  'password promoted',
  'entry deleted',
  'entry let go',
  // Secrets that apps connect with.
  'connection made',
  'connection changed',
  'connection deleted',
  // Secrets of users.
  'key held',
  'key let go',
  'password source watched',
] as const;
export type Purpose = (typeof allPurposes)[number] | 'unknown';

const ofPasswords: ReadonlySet<Purpose> = new Set(['connection made', 'connection changed', 'password begun', 'password promoted']);
const ofEntries: ReadonlySet<Purpose> = new Set(['entry opened', 'entry bound', 'password dropped']);
const ofNothing: ReadonlySet<Purpose> = new Set([
  'object let go',
  'status',
  'event',
  'entry deleted',
  'entry let go',
  'connection deleted',
  'key held',
  'key let go',
  'password source watched',
]);

/** What a write of this purpose holds that must not get lost on its way. */
export function holdsOf(purpose: Purpose): Write['holds'] {
  if (ofNothing.has(purpose)) return undefined;
  if (ofEntries.has(purpose)) return 'entry';
  return ofPasswords.has(purpose) ? 'password' : 'record';
}

export interface Write {
  readonly purpose: Purpose;
  /** `managedservices/orders` */
  readonly what: string;
  readonly isDryRun: boolean;
  /** What must not get lost on its way. */
  readonly holds: 'record' | 'entry' | 'password' | undefined;
  /** The password that the cloud has or is about to get, decoded. */
  readonly password: string | undefined;
  /** To be called once the write is done. */
  readonly done: () => void;
}

const texts = z.record(z.string(), z.string().nullable());
const bodyShape = z.object({
  metadata: z
    .object({
      name: z.string().optional(),
      annotations: texts.optional(),
      labels: texts.optional(),
      finalizers: z.array(z.string()).nullable().optional(),
    })
    .optional(),
  data: texts.optional(),
});
type Body = z.infer<typeof bodyShape>;

/** Reads what an operator sends, and remembers what it wrote: what a record is for shows in how it differs from the one before. */
export function purposes(): (options: Dispatcher.DispatchOptions) => Write | undefined {
  const records = new Map<string, ResourceRecord>();
  const entries = new Map<string, EntryContent>();
  return ({ method, path: place, query, body }) => {
    if (method === 'GET' || method === 'HEAD' || !/^\/apis?\//u.test(place)) return undefined;
    const segments = place.split('/').slice(1);
    const [, plural = '', named, subresource] = segments.slice(segments.indexOf('namespaces') + 1);
    const parsed = bodyShape.safeParse(typeof body === 'string' ? JSON.parse(body) : {}).data ?? {};
    const what = `${plural}/${named ?? parsed.metadata?.name ?? ''}`;
    const encoded = parsed.data?.[passwordKeys.next] ?? parsed.data?.[passwordKeys.present];
    const password = typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
    const entry = entryIn(parsed.metadata?.annotations);
    const read = readRecord(parsed.metadata?.annotations?.[annotations.record] ?? undefined);
    const record = read.state === 'read' ? read.record : undefined;
    const purpose = (() => {
      if (plural === 'events') return 'event';
      if (subresource === 'status') return 'status';
      if (plural === 'secrets' && segments.includes(ledgerNamespace)) return purposeOfEntry(method, entries.get(what), entry);
      if (plural === 'secrets') return purposeOfSecret(method, parsed);
      return purposeOfPatch(parsed, records.get(what), record);
    })();
    const isDryRun = query?.['dryRun'] !== undefined;
    const done = () => {
      if (isDryRun) return;
      if (record) records.set(what, record);
      if (entry) entries.set(what, entry);
    };
    const isThere = { record: record !== undefined, entry: entry !== undefined, password: password !== undefined };
    const held = purpose === 'unknown' ? undefined : holdsOf(purpose);
    const holds = held && isThere[held] ? held : undefined;
    return { purpose, what, isDryRun, holds, password, done };
  };
}

/** Only ledger entries have this annotation. */
function entryIn(all: z.infer<typeof texts> = {}): EntryContent | undefined {
  const written = Object.entries(all).filter((each): each is [string, string] => each[0] === 'managed-db.io/entry' && each[1] !== null);
  const metadata = { name: '', namespace: ledgerNamespace, uid: '', resourceVersion: '', annotations: Object.fromEntries(written) };
  return ledgerEntries.parse({ metadata }).content;
}

function purposeOfEntry(method: string, before: EntryContent | undefined, after: EntryContent | undefined): Purpose {
  if (method === 'DELETE') return 'entry deleted';
  if (!after) return 'entry let go';
  if (after.id === undefined) return 'entry opened';
  if (after.id !== before?.id) return 'entry bound';
  if (after.passwordNumber > before.passwordNumber) return 'password promoted';
  if (after.next?.from === before.next?.from) return 'unknown';
  return after.next && before.unclear?.from !== after.next.from ? 'password begun' : 'password dropped';
}

function purposeOfSecret(method: string, { metadata, data }: Body): Purpose {
  if (method === 'POST') return 'connection made';
  if (method === 'DELETE') return 'connection deleted';
  const label = metadata?.labels?.[credentialsLabel];
  if (label === 'password') return 'password source watched';
  if (label !== undefined) return label === null ? 'key let go' : 'key held';
  return data !== undefined && metadata?.labels?.[connectionLabel] === 'true' ? 'connection changed' : 'unknown';
}

function purposeOfPatch({ metadata }: Body, before: ResourceRecord | undefined, after: ResourceRecord | undefined): Purpose {
  if (metadata?.finalizers?.includes(cloudResourceFinalizer) === false) return 'object let go';
  if (!after) return metadata?.annotations?.[annotations.deletionStarted] === undefined ? 'unknown' : 'deletion marked';
  if (before && after.deletionStarted !== undefined && before.deletionStarted !== after.deletionStarted) return 'deletion marked';
  if (after.attempt && before?.attempt?.id !== after.attempt.id) return 'attempt opened';
  if (before?.attempt && !after.attempt) return after.id === before.id ? 'attempt given up' : 'answer recorded';
  if (before === undefined) return after.outcome === 'adopted' ? 'adoption' : 'record restored';
  return (
    purposeOfPeerings(before.peerings ?? {}, after.peerings ?? {}) ??
    purposeOfAttachments(attachmentsIn(before), attachmentsIn(after)) ??
    (before.objectUid === after.objectUid && before.clusterUid === after.clusterUid ? undefined : 'claim taken over') ??
    (recordText(before) === recordText(after) ? 'record restored' : 'unknown')
  );
}

function purposeOfPeerings(before: object, after: NonNullable<ResourceRecord['peerings']>): Purpose | undefined {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  const changed = Object.entries(after).filter(
    ([key, value]) => JSON.stringify(new Map(Object.entries(before)).get(key)) !== JSON.stringify(value),
  );
  const [peering] = changed.map(([, value]) => value);
  if (!peering) return 'peering forgotten';
  return 'id' in peering ? 'peering recorded' : 'peering begun';
}

function purposeOfAttachments(before: readonly string[], after: readonly string[]): Purpose | undefined {
  if (before.join() === after.join()) return undefined;
  return after.every((vpc) => before.includes(vpc)) ? 'attachment forgotten' : 'attachment noted';
}
