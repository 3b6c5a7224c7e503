import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { openAttemptIn } from '../record/attempt.ts';
import {
  attachmentsIn,
  createsIn,
  readRecord,
  readRecordIn,
  type ReadRecord,
  type RecordedPeering,
  type ResourceRecord,
} from '../record/record.ts';
import type { Remembered } from './memory.ts';

/** The valid record of an object. `isLost`: this process remembers it, and the annotation no longer has it. */
export type CountingRecord = ReadRecord & { readonly isLost: boolean };

/**
 * The valid record: the annotation, unless it lost something that this process remembers. It may have been removed (`kubectl replace`), or replaced by an
 * older one, which does not know the resource, the open create, a peering, its removal or the attachment. An annotation with another resource, or with a later create,
 * was set on purpose and counts. A newer one with fewer parts, whose write had no answer, counts as older: what it forgot is found to be gone again.
 */
export function recordOf(
  object: Pick<ManagedObject, 'metadata' | 'status'>,
  { record: known }: Pick<Remembered, 'record'>,
): CountingRecord {
  const { metadata, status } = object;
  const text = metadata.annotations?.[annotations.record];
  const there = readRecordIn(object);
  const remembered = readRecord(known?.uid === metadata.uid && known.text !== text ? known.text : undefined);
  if (remembered.state !== 'read' || there.state === 'unreadable') return { ...there, isLost: false };
  const isLost = there.state === 'none' ? !isTakenBack(remembered.record, status) : isOlder(there.record, remembered.record);
  return { ...(isLost ? remembered : there), isLost };
}

/**
 * Whether the removal of the record is the word of a person: while status names another resource, the object's message asks for it. What an open create made
 * is never forgotten so, and a status that is only behind names no other resource.
 */
function isTakenBack(known: ResourceRecord, status: ManagedObject['status']): boolean {
  const { id, replaces } = known;
  const isOther = id !== undefined && status?.id !== undefined && status.id !== id && status.id !== replaces;
  return isOther && openAttemptIn(known, { status }) === undefined;
}

function isOlder(there: ResourceRecord, known: ResourceRecord): boolean {
  const { id, attempt, peerings = {} } = there;
  if (id !== known.id) return id === undefined || id === known.replaces;
  const isBefore = createsIn(there) < createsIn(known);
  const isOther = known.attempt !== undefined && attempt?.id !== known.attempt.id;
  const lacksAttempt = isBefore || (isOther && createsIn(there) === createsIn(known));
  const attachments = attachmentsIn(there);
  const lacksAttachment = attachmentsIn(known).some((vpc) => !attachments.includes(vpc));
  // Removals are noted in turn, and the earliest are forgotten: of two records, the one without the last removal is older.
  const removed = known.removedPeerings?.at(-1);
  const lacksRemoval = removed !== undefined && there.removedPeerings?.includes(removed) !== true;
  const lacksPeering = Object.entries(known.peerings ?? {}).some(([key, made]) => lacks(peerings[key], made));
  return lacksAttempt || lacksAttachment || lacksRemoval || lacksPeering;
}

/** Whether a peering is not recorded, or without the id that is known. */
function lacks(there: RecordedPeering | undefined, known: RecordedPeering): boolean {
  return there === undefined || ('id' in known && !('id' in there));
}
