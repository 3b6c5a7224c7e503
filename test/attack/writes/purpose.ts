import type { Dispatcher } from 'undici';
import * as z from 'zod';
import {
  annotations,
  cloudResourceFinalizer,
  connectionLabel,
  credentialsLabel,
} from '../../../src/resources/annotations.ts';
import {
  ledgerEntries,
  passwordKeys,
  type EntryContent,
  type ResourceRecord,
} from '../../../src/resources/ledger-entry.ts';
import { ledgerNamespace } from '../../support/world.ts';

/** The purposes of all writes to Kubernetes. Tests check that the operator makes no other write. */
export const allPurposes = [
  // The entry of an object in the ledger.
  'attempt opened',
  'attempt given up',
  'answer recorded',
  'adoption',
  'entry taken over',
  'peering begun',
  'peering recorded',
  'peering forgotten',
  'attachment noted',
  'attachment forgotten',
  'key noted',
  'deletion marked',
  'password begun',
  'password dropped',
  'password promoted',
  'entry deleted',
  'entry let go',
  // An object's metadata.
  'object held',
  'object let go',
  // Its status, and events on it.
  'status',
  'event',
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

const ofPasswords: ReadonlySet<Purpose> = new Set([
  'connection made',
  'connection changed',
  'password begun',
  'password promoted',
]);
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

/** The content of a write with this purpose that must not get lost in flight. */
export function holdsOf(purpose: Purpose): Write['holds'] {
  if (ofNothing.has(purpose)) return undefined;
  if (purpose === 'object held') return 'finalizer';
  return ofPasswords.has(purpose) ? 'password' : 'entry';
}

export interface Write {
  readonly purpose: Purpose;
  /** `managedservices/orders` */
  readonly what: string;
  readonly isDryRun: boolean;
  /** The content that must not get lost in flight. */
  readonly holds: 'finalizer' | 'entry' | 'password' | undefined;
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

/**
 * Reads the writes of an operator, and keeps its entries: the purpose of an entry shows in its difference
 * from the previous entry.
 */
export function purposes(): (options: Dispatcher.DispatchOptions) => Write | undefined {
  const entries = new Map<string, EntryContent>();
  return ({ method, path: place, query, body }) => {
    if (method === 'GET' || method === 'HEAD' || !/^\/apis?\//u.test(place)) return undefined;
    const segments = place.split('/').slice(1);
    const [, plural = '', named, subresource] = segments.slice(segments.indexOf('namespaces') + 1);
    const parsed = bodyShape.safeParse(typeof body === 'string' ? JSON.parse(body) : {}).data ?? {};
    const what = `${plural}/${named ?? parsed.metadata?.name ?? ''}`;
    const encoded = parsed.data?.[passwordKeys.next] ?? parsed.data?.[passwordKeys.present];
    const password =
      typeof encoded === 'string' ? Buffer.from(encoded, 'base64').toString('utf8') : undefined;
    const entry = entryIn(parsed.metadata?.annotations);
    const purpose = (() => {
      if (plural === 'events') return 'event';
      if (subresource === 'status') return 'status';
      if (plural === 'secrets' && segments.includes(ledgerNamespace))
        return purposeOfEntry(method, entries.get(what), entry, entries);
      if (plural === 'secrets') return purposeOfSecret(method, parsed);
      return purposeOfPatch(parsed);
    })();
    const isDryRun = query?.['dryRun'] !== undefined;
    const done = () => {
      if (entry && !isDryRun) entries.set(what, entry);
    };
    const isHeld = parsed.metadata?.finalizers?.includes(cloudResourceFinalizer) === true;
    const isThere = {
      finalizer: isHeld,
      entry: entry !== undefined,
      password: password !== undefined,
    };
    const held = purpose === 'unknown' ? undefined : holdsOf(purpose);
    const holds = held && isThere[held] ? held : undefined;
    return { purpose, what, isDryRun, holds, password, done };
  };
}

/** Only ledger entries have this annotation. */
function entryIn(all: z.infer<typeof texts> = {}): EntryContent | undefined {
  const written = Object.entries(all).filter(
    (each): each is [string, string] => each[0] === 'managed-db.io/entry' && each[1] !== null,
  );
  const metadata = {
    name: '',
    namespace: ledgerNamespace,
    uid: '',
    resourceVersion: '',
    annotations: Object.fromEntries(written),
  };
  return ledgerEntries.parse({ metadata }).content;
}

function purposeOfEntry(
  method: string,
  before: EntryContent | undefined,
  after: EntryContent | undefined,
  others: ReadonlyMap<string, EntryContent>,
): Purpose {
  if (method === 'DELETE') return 'entry deleted';
  if (!after) return 'entry let go';
  if (after.attempt && before?.attempt?.id !== after.attempt.id) return 'attempt opened';
  if (before?.attempt && !after.attempt)
    return after.id === before.id ? 'attempt given up' : 'answer recorded';
  if (after.id !== before?.id) {
    const isCopy = others
      .values()
      .some(({ id, claimedAt }) => id === after.id && claimedAt === after.claimedAt);
    return isCopy ? 'entry taken over' : 'adoption';
  }
  if (!before) return 'unknown';
  if (before.deletionStarted !== after.deletionStarted) return 'deletion marked';
  return (
    purposeOfPeerings(before.peerings ?? {}, after.peerings ?? {}) ??
    purposeOfAttachment(before.vpcAttachment, after.vpcAttachment) ??
    (before.credentialsSecret === after.credentialsSecret ? undefined : 'key noted') ??
    purposeOfPasswords(before, after)
  );
}

function purposeOfPasswords(before: EntryContent, after: EntryContent): Purpose {
  if (after.passwordNumber > before.passwordNumber) return 'password promoted';
  if (after.next?.from === before.next?.from) return 'unknown';
  return after.next && before.unclear?.from !== after.next.from
    ? 'password begun'
    : 'password dropped';
}

function purposeOfSecret(method: string, { metadata, data }: Body): Purpose {
  if (method === 'POST') return 'connection made';
  if (method === 'DELETE') return 'connection deleted';
  const label = metadata?.labels?.[credentialsLabel];
  if (label === 'password') return 'password source watched';
  if (label !== undefined) return label === null ? 'key let go' : 'key held';
  return data !== undefined && metadata?.labels?.[connectionLabel] === 'true'
    ? 'connection changed'
    : 'unknown';
}

function purposeOfPatch({ metadata }: Body): Purpose {
  const isHeld = metadata?.finalizers?.includes(cloudResourceFinalizer);
  if (isHeld !== undefined) return isHeld ? 'object held' : 'object let go';
  return typeof metadata?.annotations?.[annotations.ledger] === 'string'
    ? 'object held'
    : 'unknown';
}

function purposeOfPeerings(
  before: object,
  after: NonNullable<ResourceRecord['peerings']>,
): Purpose | undefined {
  if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
  const changed = Object.entries(after).filter(
    ([key, value]) =>
      JSON.stringify(new Map(Object.entries(before)).get(key)) !== JSON.stringify(value),
  );
  const [peering] = changed.map(([, value]) => value);
  if (!peering) return 'peering forgotten';
  return 'id' in peering ? 'peering recorded' : 'peering begun';
}

function purposeOfAttachment(
  before: string | undefined,
  after: string | undefined,
): Purpose | undefined {
  if (before === after) return undefined;
  return after === undefined ? 'attachment forgotten' : 'attachment noted';
}
