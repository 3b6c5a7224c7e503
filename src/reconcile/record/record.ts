import * as z from 'zod';
import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * A create that began, and whose result is unknown. `at` is RFC 3339 by the cloud's clock; `request` is the body that was sent; `sameNameIds` are the ids of
 * resources that had the name before.
 */
const attempt = z.object({
  id: z.string().min(1),
  at: z.iso.datetime(),
  request: z.record(z.string(), z.unknown()),
  sameNameIds: z.array(z.string()),
});

/**
 * A peering that this object created: its id, or, while its POST has no answer, the ids that existed before. `removalAskedAt`: the first DELETE was about to be
 * sent then. The cloud may carry it out at any later time. `isUnclaimed`: nobody knows who made what has appeared since, and nothing is taken for its result.
 */
const recordedPeering = z.union([
  z.object({ id: z.string(), removalAskedAt: z.iso.datetime().optional() }),
  z.object({ pendingSince: z.iso.datetime(), before: z.array(z.string()), isUnclaimed: z.literal(true).optional() }),
]);

const resourceRecord = z.object({
  attempt: attempt.optional(),
  /** The number of creates that were begun for the object. It tells which of two records is the later one; clocks do not. */
  creates: z.int().min(0).optional(),
  /** During a recreation this is the id of the lost resource, until a new one has replaced it. */
  id: z.string().min(1).optional(),
  outcome: z.enum(['created', 'adopted']).optional(),
  /** The id of the attempt that made the resource. A copy of the record may have that attempt still open. */
  createdBy: z.string().optional(),
  projectId: z.string().optional(),
  clusterUid: z.string().optional(),
  objectUid: z.string().optional(),
  claimedAt: z.iso.datetime().optional(),
  parentServiceId: z.string().optional(),
  forkSourceId: z.string().optional(),
  peerings: z.record(z.string(), recordedPeering).optional(),
  /** The ids of the peerings that were removed last. A list that lags, or a wrong answer, may have them still: none is the result of a later request. */
  removedPeerings: z.array(z.string()).optional(),
  /** The VPC to which this object attached its service last, or is about to: see {@link attachmentsIn}. */
  vpcAttachment: z.string().optional(),
  /** Those to which it attached it before, until that is over. Builds that do not know them leave such an attachment. */
  earlierAttachments: z.array(z.string()).optional(),
  /** The id of the lost resource that this one replaced. Data that still names that id is outdated. */
  replaces: z.string().optional(),
  /** See {@link deletionMark}. */
  deletionStarted: z.string().optional(),
  /** The generation whose spec may lack fields: it was to be deleted while the CRD was older than the operator. */
  doubtedGeneration: z.int().optional(),
  /** The uid of the object from which the operator itself took its finalizer: nobody else took it off, however long others hold the object. */
  released: z.string().optional(),
});

export type Attempt = z.infer<typeof attempt>;
export type RecordedPeering = z.infer<typeof recordedPeering>;
export type MadePeering = Extract<RecordedPeering, { readonly id: string }>;

/**
 * The knowledge of an object about its cloud resource: a journal while a create is open, a claim afterwards. Kept for life in the annotation
 * `managed-db.io/record` as compact JSON. Only the operator writes it.
 */
export type ResourceRecord = z.infer<typeof resourceRecord>;

export type ReadRecord =
  | { readonly state: 'none' }
  | { readonly state: 'read'; readonly record: ResourceRecord }
  | { readonly state: 'unreadable' };

/** Reads the annotation. An unreadable record differs from none: it may hide a claim. */
export function readRecord(annotation: string | undefined): ReadRecord {
  if (annotation === undefined) return { state: 'none' };
  try {
    const parsed = resourceRecord.safeParse(JSON.parse(annotation));
    return parsed.success ? { state: 'read', record: parsed.data } : { state: 'unreadable' };
  } catch {
    return { state: 'unreadable' }; // not JSON: reported as a conflict, never repaired by guessing
  }
}

const readIn = new WeakMap<object, ReadRecord>();

/** Reads the annotation of an object, once for each version of the object. */
export function readRecordIn({ metadata }: Pick<ManagedObject, 'metadata'>): ReadRecord {
  const read = readIn.get(metadata) ?? readRecord(metadata.annotations?.[annotations.record]);
  readIn.set(metadata, read);
  return read;
}

/** The record in the annotation of an object; empty if there is none, or if it is unreadable. */
export function recordIn(object: Pick<ManagedObject, 'metadata'>): ResourceRecord {
  const read = readRecordIn(object);
  return read.state === 'read' ? read.record : {};
}

/** The creates that were begun when this record was written. A record of an earlier version does not say it, and is older than each that does. */
export function createsIn({ creates = 0 }: ResourceRecord): number {
  return creates;
}

/** The VPCs to which this object attached its service, or may have. It is detached from no other one, unless it stands in the way. */
export function attachmentsIn({ vpcAttachment, earlierAttachments = [] }: ResourceRecord): readonly string[] {
  return vpcAttachment === undefined ? earlierAttachments : [vpcAttachment, ...earlierAttachments];
}

export function recordText(record: ResourceRecord): string {
  return JSON.stringify(record);
}
