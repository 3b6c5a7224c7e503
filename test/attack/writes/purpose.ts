import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { attachmentsIn, readRecord, recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations, cloudResourceFinalizer, credentialsLabel } from '../../../src/resources/annotations.ts';

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
  'connection named',
  'move begun',
  'connection moved',
  'old connection forgotten',
  'password owned',
  'deletion marked',
  'object let go',
  // Its status, and events on it.
  'status',
  'event',
  // Secrets that apps connect with, and passwords on their way there.
  'connection made',
  'connection changed',
  'password promoted',
  'connection deleted',
  'connection let go',
  'pending made',
  'pending deleted',
  'pending let go',
  // Secrets of users.
  'key held',
  'key let go',
  'password source watched',
] as const;
export type Purpose = (typeof allPurposes)[number] | 'unknown';

const ofPasswords: ReadonlySet<Purpose> = new Set(['connection made', 'connection changed', 'password promoted', 'pending made']);
const ofNothing: ReadonlySet<Purpose> = new Set([
  'object let go',
  'status',
  'event',
  'connection deleted',
  'connection let go',
  'pending deleted',
  'pending let go',
  'key held',
  'key let go',
  'password source watched',
]);

/** What a write of this purpose holds that must not get lost on its way. */
export function holdsOf(purpose: Purpose): Write['holds'] {
  if (ofNothing.has(purpose)) return undefined;
  return ofPasswords.has(purpose) ? 'password' : 'record';
}

export interface Write {
  readonly purpose: Purpose;
  /** `managedservices/orders` */
  readonly what: string;
  readonly isDryRun: boolean;
  /** What must not get lost on its way. */
  readonly holds: 'record' | 'password' | undefined;
  /** Decoded. */
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
      finalizers: z.array(z.string()).optional(),
    })
    .optional(),
  data: z.record(z.string(), z.string()).optional(),
});
type Body = z.infer<typeof bodyShape>;

/** Reads what an operator sends, and remembers what it wrote: what a record is for shows in how it differs from the one before. */
export function purposes(): (options: Dispatcher.DispatchOptions) => Write | undefined {
  const records = new Map<string, ResourceRecord>();
  const passwords = new Map<string, string>();
  return ({ method, path: place, query, body }) => {
    if (method === 'GET' || method === 'HEAD' || !/^\/apis?\//u.test(place)) return undefined;
    const segments = place.split('/').slice(1);
    const [, plural = '', named, subresource] = segments.slice(segments.indexOf('namespaces') + 1);
    const parsed = bodyShape.safeParse(typeof body === 'string' ? JSON.parse(body) : {}).data ?? {};
    const what = `${plural}/${named ?? parsed.metadata?.name ?? ''}`;
    const encoded = parsed.data?.['password'];
    const password = encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
    const read = readRecord(parsed.metadata?.annotations?.[annotations.record] ?? undefined);
    const record = read.state === 'read' ? read.record : undefined;
    const purpose = (() => {
      if (plural === 'events') return 'event';
      if (subresource === 'status') return 'status';
      if (plural === 'secrets') return purposeOfSecret(method, what, parsed, password !== passwords.get(what));
      return purposeOfPatch(parsed, records.get(what), record);
    })();
    const isDryRun = query?.['dryRun'] !== undefined;
    const done = () => {
      if (isDryRun) return;
      if (record) records.set(what, record);
      if (password !== undefined) passwords.set(what, password);
    };
    const holds = record && !ofNothing.has(purpose) ? 'record' : password === undefined ? undefined : 'password';
    return { purpose, what, isDryRun, holds, password, done };
  };
}

function purposeOfSecret(method: string, what: string, { metadata }: Body, isNewPassword: boolean): Purpose {
  const isPending = what.endsWith('-pending');
  switch (method) {
    case 'POST':
      return isPending ? 'pending made' : 'connection made';
    case 'PUT':
      if (isPending) return 'pending made';
      return isNewPassword ? 'password promoted' : 'connection changed';
    case 'DELETE':
      return isPending ? 'pending deleted' : 'connection deleted';
    default:
      break;
  }
  const label = metadata?.labels?.[credentialsLabel];
  if (label === 'password') return 'password source watched';
  if (label !== undefined) return label === null ? 'key let go' : 'key held';
  if (metadata?.finalizers === undefined) return 'unknown';
  return isPending ? 'pending let go' : 'connection let go';
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
    purposeOfConnection(before, after) ??
    purposeOfAttachments(attachmentsIn(before), attachmentsIn(after)) ??
    (before.password === after.password ? undefined : 'password owned') ??
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

function purposeOfConnection(before: ResourceRecord, after: ResourceRecord): Purpose | undefined {
  if (before.previousSecretName !== undefined && after.previousSecretName === undefined) return 'old connection forgotten';
  if (before.nextSecretName === undefined && after.nextSecretName !== undefined) return 'move begun';
  if (before.secretName === after.secretName) return undefined;
  return after.previousSecretName === undefined ? 'connection named' : 'connection moved';
}
