import * as z from 'zod';
import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * A create that was begun and is not yet known to have succeeded or failed.
 * `at` is in the cloud's clock (RFC 3339); `request` is the body that was sent; `sameNameIds` are the ids that carried the name before.
 */
const attempt = z.object({
  id: z.string().min(1),
  at: z.iso.datetime(),
  request: z.record(z.string(), z.unknown()),
  sameNameIds: z.array(z.string()),
});

/** A peering of ours: its id, or the ids that existed before a POST whose answer is not known yet. */
const recordedPeering = z.union([z.object({ id: z.string() }), z.object({ pendingSince: z.iso.datetime(), before: z.array(z.string()) })]);

const resourceRecord = z.object({
  attempt: attempt.optional(),
  /** While a lost resource is made again, its id stays until something has taken its place. */
  id: z.string().min(1).optional(),
  outcome: z.enum(['created', 'adopted']).optional(),
  projectId: z.string().optional(),
  clusterUid: z.string().optional(),
  objectUid: z.string().optional(),
  claimedAt: z.iso.datetime().optional(),
  parentServiceId: z.string().optional(),
  forkSourceId: z.string().optional(),
  secretName: z.string().optional(),
  previousSecretName: z.string().optional(),
  password: z.enum(['managed', 'unmanaged']).optional(),
  peerings: z.record(z.string(), recordedPeering).optional(),
  vpcAttachment: z.string().optional(),
  /** The lost resource that this one took the place of: whatever still names it is from before. */
  replaces: z.string().optional(),
  /** See {@link deletionMark}. */
  deletionStarted: z.string().optional(),
});

export type Attempt = z.infer<typeof attempt>;
export type RecordedPeering = z.infer<typeof recordedPeering>;

/**
 * What an object knows about its cloud resource: the journal while a create is open, the claim after that.
 * Kept for life in the annotation `managed-db.io/record`, as compact JSON, written by the operator alone.
 */
export type ResourceRecord = z.infer<typeof resourceRecord>;

export type ReadRecord =
  | { readonly state: 'none' }
  | { readonly state: 'read'; readonly record: ResourceRecord }
  | { readonly state: 'unreadable' };

/** Reads the annotation. One that does not parse is not the same as none: it may hide a claim. */
export function readRecord(annotation: string | undefined): ReadRecord {
  if (annotation === undefined) return { state: 'none' };
  try {
    const parsed = resourceRecord.safeParse(JSON.parse(annotation));
    return parsed.success ? { state: 'read', record: parsed.data } : { state: 'unreadable' };
  } catch {
    return { state: 'unreadable' }; // not JSON: reported as a conflict, never repaired by guessing
  }
}

/** What the annotation of an object says; nothing where it has none, or one that cannot be read. */
export function recordIn({ metadata }: Pick<ManagedObject, 'metadata'>): ResourceRecord {
  const read = readRecord(metadata.annotations?.[annotations.record]);
  return read.state === 'read' ? read.record : {};
}

export function recordText(record: ResourceRecord): string {
  return JSON.stringify(record);
}
