import { annotations } from '../../resources/annotations.ts';
import type { Remembered } from '../process/memory.ts';
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

/** How new the observation must be: newer than a user's request, and newer than an unclear answer. */
export function notBefore({ metadata, status }: ManagedObject, memory: Remembered, now: number): NotBefore {
  const asked = metadata.annotations?.[annotations.requestedAt];
  const isAsked = asked !== undefined && asked !== status?.lastHandledReconcileAt;
  const { requestedVisit: last } = memory;
  const waitMs = last && last.text !== asked ? last.at + requestedEveryMs - now : 0;
  const mustWait = isAsked && waitMs > 0;
  const at = isAsked && !mustWait ? (last?.text === asked ? last.at : now) : 0;
  return {
    notBefore: Math.max(at, afterUnclear(memory, now)),
    requestedVisitInMs: mustWait ? waitMs : undefined,
    requestedVisit: isAsked && !mustWait ? { text: asked, at } : undefined,
  };
}

/** A change that may have been carried out must have had time to show before it is requested again. */
function afterUnclear({ unclearAt = 0, refusals }: Remembered, now: number): number {
  const looks = [...refusals.values()].map(({ unclearAt: at = 0 }) => (at > 0 && now >= at + listLagMs ? at + listLagMs : at));
  return Math.max(unclearAt, ...looks);
}
