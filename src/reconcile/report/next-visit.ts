import type { ListPoller } from '../../cloud/list-poller.ts';
import { backOffMs, keyOf, objectReference, type Requeue } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { Work } from '../process/following.ts';
import { progressListOf } from '../kinds/kind.ts';
import { toldInMs } from './tell-what-lasts.ts';
import type { Identity, Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import type { Visit } from './visit.ts';
import { lookAgain } from '../step/intervals.ts';

const retry = { firstMs: 1_000, longestMs: 300_000 };

/** 1 s, doubling to 5 min, by up to a quarter more. */
export function retryDelayMs(failures: number, random: number): number {
  return backOffMs(failures, retry, random);
}

/** What the next visit is to tell. */
interface Untold {
  /** A refusal was remembered just now. */
  readonly isNews: boolean;
  /** When the cloud's work is to be told, if it lasts; undefined when it is told. */
  readonly untoldMs: number | undefined;
}

/** When to look again. What goes on in the cloud or around the object wakes it earlier. */
export function nextVisit<S extends Situation>(visit: Visit<S>, untold: Untold, context: Context): Requeue {
  const next = plannedVisit(visit, untold, context);
  const { lookAskedInMs } = visit.situation;
  if (next === 'forget' || lookAskedInMs === undefined || lookAskedInMs >= next.afterMs) return next;
  return { afterMs: lookAskedInMs };
}

function plannedVisit<S extends Situation>(
  { kind, situation, step, outcome }: Visit<S>,
  { isNews, untoldMs = Infinity }: Untold,
  context: Context,
): Requeue {
  const { object, identity } = situation;
  const memory = context.memory.of(object.kind, keyOf(object));
  const hasFailed = outcome.type === 'failed' || outcome.type === 'overtaken' || outcome.type === 'hindered';
  const longestMs = outcome.type === 'failed' ? lookAgain.atLatestMs : retry.longestMs;
  const retryMs = Math.min(retryDelayMs(memory.failures, context.random()), longestMs);
  memory.failures = hasFailed ? memory.failures + 1 : 0;
  const list = progressListOf(kind, situation);
  const work = workAfter(step, list, identity);
  if (work !== 'asBefore') context.following.atWork(objectReference(object.kind, keyOf(object)), work);
  // Another change may be possible meanwhile.
  if (outcome.type === 'done' || isNews) return { afterMs: 0 };
  switch (step.type) {
    case 'release':
      return 'forget';
    case 'keep':
      return { afterMs: keptMs(hasFailed ? retryMs : undefined, toldInMs(memory, context.clock.now())) };
    case 'wait':
      if (hasFailed && step.afterMs === undefined) return { afterMs: retryMs };
      return { afterMs: Math.min(waitMs(step, list?.failure !== undefined), untoldMs) };
    case 'stall':
      return { afterMs: step.retryAfterMs ?? lookAgain.nowAndThenMs, resync: true };
    case 'call':
    case 'write':
      return { afterMs: retryMs };
    case 'done':
    case 'suspended':
      return { afterMs: lookAgain.nowAndThenMs * (1 + context.random() / 4), resync: true };
  }
}

/** What the cloud is at work on after this step; a step that learned nothing, or that another visit follows, says nothing of it. */
export function workAfter(step: Step, list: ListPoller<unknown> | undefined, identity: Identity): Work | 'asBefore' | undefined {
  if (step.type === 'keep' || step.type === 'call' || step.type === 'write') return 'asBefore';
  if (step.type !== 'wait' || step.inProgressSince === undefined || !list || identity.state !== 'known') return undefined;
  return { list, id: identity.id, since: step.inProgressSince };
}

/** What is to be told is looked at when it is time to tell it; what is Ready and cannot be read for long, now and then. */
function keptMs(retryMs: number | undefined, inMs: number | undefined): number {
  return inMs === undefined ? (retryMs ?? lookAgain.atLatestMs) : Math.min(retryMs ?? lookAgain.forCloudMs, inMs);
}

function waitMs({ afterMs, inProgressSince }: Extract<Step, { type: 'wait' }>, isUnread: boolean): number {
  if (inProgressSince !== undefined)
    return Math.min(afterMs ?? lookAgain.forProgressMs, isUnread ? lookAgain.forCloudMs : lookAgain.forProgressMs);
  return Math.min(afterMs ?? lookAgain.atLatestMs, lookAgain.atLatestMs);
}
