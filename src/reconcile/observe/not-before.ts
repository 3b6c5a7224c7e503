import { annotations } from '../../resources/annotations.ts';
import type { Remembered } from '../process/memory.ts';
import { effectWithinMs, type LastOperation } from '../situation/last-operation.ts';
import type { Learned } from '../situation/learned.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Lists may lag a write by this time. (docs/safety.md, Changing) */
export const listLagMs = 10_000;
/** The minimum between two observations that users request. */
const requestedEveryMs = 10_000;

export interface NotBefore {
  /** Lists must have begun after this policy time; 0: any list is new enough. */
  readonly notBefore: number;
  /** Milliseconds until a requested observation that came too soon after the previous one. */
  readonly requestedVisitInMs: number | undefined;
  /** The observation that a user requested and that is made now. */
  readonly requestedVisit: Learned['requestedVisit'] | undefined;
}

/** How new the observation must be: newer than a user's request, than an unclear answer, and than the time that an accepted DELETE had to show. */
export function notBefore(
  { metadata, status }: ManagedObject,
  last: LastOperation | undefined,
  memory: Remembered,
  now: number,
): NotBefore {
  const asked = metadata.annotations?.[annotations.requestedAt];
  const isAsked = asked !== undefined && asked !== status?.lastHandledReconcileAt;
  const { requestedVisit: earlier } = memory;
  const waitMs = earlier && earlier.text !== asked ? earlier.at + requestedEveryMs - now : 0;
  const mustWait = isAsked && waitMs > 0;
  const at = isAsked && !mustWait ? (earlier?.text === asked ? earlier.at : now) : 0;
  return {
    notBefore: Math.max(at, memory.unclearAt ?? 0, afterEffect(last, now)),
    requestedVisitInMs: mustWait ? waitMs : undefined,
    requestedVisit: isAsked && !mustWait ? { text: asked, at } : undefined,
  };
}

/** An accepted DELETE that nobody saw at work is without effect only by an observation that began when its time was over. Many objects share a second. */
function afterEffect(last: LastOperation | undefined, now: number): number {
  if (last?.operation !== 'delete' || last.wasBusy === true || now < last.at + effectWithinMs) return 0;
  return Math.ceil((last.at + effectWithinMs) / 1_000) * 1_000;
}
