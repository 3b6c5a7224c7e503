import * as z from 'zod';
import { secretShape, secretsWithData, type SecretWithData } from './connection-secret.ts';
import { isKind, resourceTypes } from './managed-object.ts';

/** The value of the label is `true`. */
export const ledgerLabel = 'managed-db.io/ledger';
export const ledgerFinalizer = 'managed-db.io/ledger';
export const ledgerSecretType = 'managed-db.io/ledger';
export const entryLabels = {
  kind: 'managed-db.io/kind',
  namespace: 'managed-db.io/namespace',
  /** The hash of kind, project and id: see `resourceHash`. */
  resource: 'managed-db.io/resource',
} as const;
const contentAnnotation = 'managed-db.io/entry';
/** In characters. A longer content is unreadable. */
export const longestContent = 131_072;

/** An id of the cloud. The code brands it where it uses the id, and no id is empty. */
const cloudId = z.string().min(1);

/** A password that was written before it is sent. `from`: the request that it answers, as in `passwordFrom`. */
const pendingPassword = z.object({ from: z.string() });

/**
 * A create whose result is unknown. `at` is RFC 3339; `request` is the sent body; `sameNameIds` are the earlier
 * resources with that name.
 */
const attempt = z.object({
  id: z.string().min(1),
  at: z.iso.datetime(),
  request: z.looseObject({ parentId: cloudId.optional(), sourceId: cloudId.optional() }),
  sameNameIds: z.array(z.string()),
});

/** A peering that this object requested, by its address: its id, or the time of a POST without an answer. */
const recordedPeering = z.union([
  z.object({ id: cloudId }),
  z.object({ pendingSince: z.iso.datetime() }),
]);

/** The operator's knowledge about a resource, without passwords. */
const resourceRecord = z.object({
  projectId: cloudId.optional(),
  /**
   * The Secret in the object's namespace with the last key that proved to be of the project. The operator holds this
   * Secret until another key is proven. Absent for the operator's own key.
   */
  credentialsSecret: z.string().optional(),
  attempt: attempt.optional(),
  /**
   * All passwords of the entry belong to this resource. During a recreation it is the lost resource, until a new
   * resource has replaced it.
   */
  id: cloudId.optional(),
  /** The operator did not choose the password of an adopted resource, and does not replace it unasked. */
  outcome: z.enum(['created', 'adopted']).optional(),
  /** An earlier object created the resource, or this object in another cluster: for this object, it is not new. */
  isRestored: z.literal(true).optional(),
  /** RFC 3339, policy time at which the id was recorded. */
  claimedAt: z.iso.datetime().optional(),
  parentServiceId: cloudId.optional(),
  forkSourceId: cloudId.optional(),
  peerings: z.record(z.string(), recordedPeering).optional(),
  /** The VPC to which this object attached its service, or is about to, until this attachment is over. */
  vpcAttachment: cloudId.optional(),
  /**
   * The decision to delete this resource, and the generation of the object then: a later generation is decided upon anew.
   * `shown`: the resource and its peerings that lists had shown by then, such as `peering 31`, so another process need not prove
   * that the cloud knew them.
   */
  deletionStarted: z
    .object({
      id: z.string(),
      generation: z.int().optional(),
      shown: z.array(z.string()).optional(),
    })
    .optional(),
  /**
   * At the last look, another living object had this resource, too. Until a later look, the resource stays in the cloud
   * if this object is deleted.
   */
  isShared: z.literal(true).optional(),
});
export type ResourceRecord = z.infer<typeof resourceRecord>;
export type Attempt = z.infer<typeof attempt>;
export type RecordedPeering = z.infer<typeof recordedPeering>;

const entryContent = z.looseObject({
  version: z.literal(1),
  object: z.object({ kind: z.string(), namespace: z.string(), name: z.string(), uid: z.string() }),
  clusterUid: z.string(),
  ...resourceRecord.shape,
  /** Grows with each password, also of another resource. It is in the inputs of the connection Secret. */
  passwordNumber: z.int().min(0),
  hasPassword: z.boolean(),
  /** The request that the present password answers: a rotation text, or a version of a user's Secret. */
  passwordFrom: z.string().optional(),
  next: pendingPassword.optional(),
  unclear: pendingPassword.optional(),
  /** RFC 3339, policy time of the last password call without an answer. The cloud may still carry it out. */
  unansweredAt: z.iso.datetime().optional(),
});
export type EntryContent = z.infer<typeof entryContent>;

/** A ledger entry without its passwords. `content` is undefined if it cannot be read, such as that of a newer version. */
export interface LedgerEntry {
  readonly metadata: Pick<
    SecretWithData['metadata'],
    'name' | 'namespace' | 'uid' | 'resourceVersion' | 'labels' | 'deletionTimestamp'
  >;
  readonly content: EntryContent | undefined;
}

export const passwordKeys = {
  present: 'password',
  next: 'nextPassword',
  unclear: 'unclearPassword',
} as const;

export interface LedgerEntryWithData extends LedgerEntry {
  readonly data: Readonly<Record<string, string>>;
}

/** The passwords never reach this process. */
export const ledgerEntries = {
  ...secretsWithData,
  metadataOnly: true,
  parse: (value: unknown): LedgerEntry => withoutData(secretShape.parse(value)),
} as const;

export const ledgerEntriesWithData = {
  ...secretsWithData,
  parse(value: unknown): LedgerEntryWithData {
    const secret = secretsWithData.parse(value);
    // A person may empty a value: the entry then has no such password.
    const data = Object.entries(secret.data).filter(([, text]) => text !== '');
    return { ...withoutData(secret), data: Object.fromEntries(data) };
  },
} as const;

function withoutData({ metadata }: Pick<SecretWithData, 'metadata'>): LedgerEntry {
  const {
    name,
    namespace,
    uid,
    resourceVersion,
    labels = {},
    annotations,
    deletionTimestamp,
  } = metadata;
  const kept = Object.fromEntries(
    ownLabels.flatMap((label) => (labels[label] === undefined ? [] : [[label, labels[label]]])),
  );
  return {
    metadata: { name, namespace, uid, resourceVersion, labels: kept, deletionTimestamp },
    content: contentIn(annotations),
  };
}

const ownLabels: readonly string[] = [ledgerLabel, ...Object.values(entryLabels)];

function contentIn(
  annotations: SecretWithData['metadata']['annotations'],
): EntryContent | undefined {
  const text = annotations?.[contentAnnotation];
  if (text === undefined || text.length > longestContent) return undefined;
  try {
    const content = entryContent.safeParse(JSON.parse(text)).data;
    return content && hasPlace(content) ? content : undefined;
  } catch {
    return undefined; // a user edited the ledger by hand
  }
}

/** A resource of a child kind is read and deleted below its parent. */
function hasPlace(content: EntryContent): boolean {
  const { kind } = content.object;
  const parent = isKind(kind) ? resourceTypes[kind].parent : undefined;
  return (
    parent === undefined || content.id === undefined || content[parent.recordedAs] !== undefined
  );
}

const recordKeys: ReadonlySet<string> = new Set(Object.keys(resourceRecord.shape));

/** Empty without an entry, or if it cannot be read. */
export function recordIn(entry: Pick<LedgerEntry, 'content'> | undefined): ResourceRecord {
  const content = entry?.content;
  if (!content) return none;
  const record = records.get(content) ?? resourceRecord.parse(content);
  records.set(content, record);
  return record;
}

const none: ResourceRecord = {};
const records = new WeakMap<EntryContent, ResourceRecord>();

export function withRecord(content: EntryContent, record: ResourceRecord): EntryContent {
  const rest = Object.fromEntries(Object.entries(content).filter(([key]) => !recordKeys.has(key)));
  return entryContent.parse({ ...rest, ...record });
}

export function annotationsOf(content: EntryContent): Record<string, string> {
  return { [contentAnnotation]: JSON.stringify(content) };
}
