import { annotations } from '../../resources/annotations.ts';
import type { Remembered } from '../process/memory.ts';
import type { Learned } from '../situation/learned.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Lists may lag a write by so long. (docs/safety.md, Changing) */
export const listLagMs = 10_000;
/** A look that a user asks for is taken so often. */
const requestedEveryMs = 10_000;

export interface NotBefore {
  /** Lists must have been begun after this policy time; 0: any will do. */
  readonly notBefore: number;
  /** In how long a look is taken that was asked for too soon after another. */
  readonly lookAskedInMs: number | undefined;
  /** The look that is taken because a user asks for it. */
  readonly requestedLook: Learned['requestedLook'] | undefined;
}

/** How new a look must be: as new as a user asks for, and newer than an answer that did not tell whether it was carried out. */
export function notBefore({ metadata, status }: ManagedObject, memory: Remembered, now: number): NotBefore {
  const asked = metadata.annotations?.[annotations.requestedAt];
  const isAsked = asked !== undefined && asked !== status?.lastHandledReconcileAt;
  const { requestedLook: last } = memory;
  const waitMs = last && last.text !== asked ? last.at + requestedEveryMs - now : 0;
  const mustWait = isAsked && waitMs > 0;
  const at = isAsked && !mustWait ? (last?.text === asked ? last.at : now) : 0;
  return {
    notBefore: Math.max(at, afterUnclear(memory, now)),
    lookAskedInMs: mustWait ? waitMs : undefined,
    requestedLook: isAsked && !mustWait ? { text: asked, at } : undefined,
  };
}

/** What may have been carried out must have had the time to show before it is asked for again. */
function afterUnclear({ unclearAt = 0, refusals }: Remembered, now: number): number {
  const looks = [...refusals.values()].map(({ unclearAt: at = 0 }) => (at > 0 && now >= at + listLagMs ? at + listLagMs : at));
  return Math.max(unclearAt, ...looks);
}
