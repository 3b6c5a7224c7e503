import type { LastOperation, Learned, Situation } from './situation.ts';
import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Milliseconds of policy time that the cloud gets to show an accepted change. (docs/safety.md,
 * Changing)
 */
export const effectWithinMs = 30_000;

/**
 * Whether an accepted change still has time to show.
 * @param asOf policy time of the observation that does not show the change
 */
export function isAwaitingEffect(
  last: LastOperation | undefined,
  operation: string,
  wanted: string,
  asOf: number,
): boolean {
  return last?.operation === operation && last.wanted === wanted && asOf - last.at < effectWithinMs;
}

/** Whether the cloud accepted the operator's DELETE of this resource, or did not find the resource. */
export function isDeleteAnswered(
  last: LastOperation | undefined,
  id: string,
  operation: 'delete' | 'deletePeering' = 'delete',
): last is LastOperation {
  return last?.operation === operation && last.wanted === id;
}

/** Whether the DELETE that confirms an absence is still to be sent: lists and GETs may be wrong. */
export function isAbsenceUnsure(
  id: string,
  isStarted: boolean,
  last: LastOperation | undefined,
): boolean {
  return !isStarted || !isDeleteAnswered(last, id);
}

/** Policy time since which status shows the present state of the resource; now if it is a new state. */
export function stateSince({
  object: { status },
  state,
  cloud,
  now,
}: Pick<Situation, 'object' | 'state' | 'cloud' | 'now'>): number {
  const at = Date.parse(status?.stateSince ?? '');
  const isSame = cloud.state !== 'present' || state === status?.state;
  return isSame && at <= now ? at : now;
}

/**
 * The status, unless it still shows a resource that this resource replaced: requests about the replaced
 * resource, and their results, say nothing about this resource.
 */
export function ownStatus<O extends Pick<ManagedObject, 'status'>>({
  object: { status },
  record,
}: Pick<Situation, 'record'> & { readonly object: O }): O['status'] | undefined {
  return record.id !== undefined && status?.id !== undefined && status.id !== record.id
    ? undefined
    : status;
}

/** Whether a user allows a new resource in place of the lost resource with this id. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/**
 * Whether the operator creates a new resource in place of the recorded resource, if that is gone.
 */
export function isToBeReplaced({ object, record }: Pick<Situation, 'object' | 'record'>): boolean {
  return (
    record.id !== undefined &&
    !object.metadata.deletionTimestamp &&
    mayBeReplaced(object, record.id)
  );
}

/** Between decision and answer, a process may end or a look may fail, and a user may set Retain. */
export function isDeletionStarted({
  object,
  record: { id, deletionStarted },
  lastOperation,
}: Pick<Situation, 'record' | 'lastOperation'> & {
  readonly object: Pick<ManagedObject, 'metadata'>;
}): boolean {
  if (id === undefined || deletionStarted?.id !== id) return false;
  return (
    deletionStarted.generation === object.metadata.generation || isDeleteAnswered(lastOperation, id)
  );
}

interface Look {
  /** Policy time. */
  readonly now: number;
  readonly learned: Pick<Learned, 'firstSeen'>;
}

const mostSeen = 200;

/**
 * Policy time at which this process first saw a fact. The clock behind a recorded time may be
 * wrong, so waits count from this time.
 * @param what the name of the fact, unique for the object
 */
export function firstSeen({ now, learned: { firstSeen: seen } }: Look, what: string): number {
  const since = seen.get(what) ?? now;
  seen.set(what, since);
  const [oldest] = seen.keys();
  if (seen.size > mostSeen && oldest !== undefined) seen.delete(oldest);
  return since;
}

/**
 * A recorded time in the policy time of this process. If its clock was ahead, the time of this process's first
 * sight counts, so that no wait depends on a wrong clock.
 * @param text RFC 3339
 */
export function writtenAt(look: Look, text: string): number {
  const at = Date.parse(text);
  const first = `written ${text}`;
  // A time that is over when it is first seen cannot be of a clock ahead.
  return at <= look.now && !look.learned.firstSeen.has(first)
    ? at
    : Math.min(Number.isNaN(at) ? Infinity : at, firstSeen(look, first));
}
