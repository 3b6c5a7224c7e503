import type { ListPoller } from '../cloud/list-poller.ts';
import { readyOf } from './conditions.ts';
import type { ObjectMemory } from './memory.ts';
import type { Outcome } from './outcome.ts';
import { unreadableCloud } from './rules/unreadable-cloud.ts';
import type { ManagedObject, Situation } from './situation.ts';
import type { Step, Told } from './step.ts';

const patienceMs = 30_000;

/**
 * A visit that learned nothing, or could not write, leaves the status as it is for a moment. When that has lasted, the status says what is waited for.
 * What was Ready stays so while it can only not be read: nothing is known to have changed.
 * @param list where the progress of what the cloud does would show
 * @param now policy time at the end of the visit: one that waited long for an answer has lasted, too
 */
export function tellWhatLasts(
  step: Step,
  { type }: Outcome,
  situation: Situation,
  list: ListPoller<unknown> | undefined,
  memory: ObjectMemory,
  now: number,
): Step {
  const unread = progressUnread(step, situation, list);
  if (unread) return now - unread.since >= patienceMs ? unread.told : step;
  if (step.type !== 'keep') {
    delete memory.waitingSince;
    return step;
  }
  memory.waitingSince ??= situation.now;
  const isToBeTold = type === 'hindered' || !isSettled(situation.object);
  return isToBeTold && now - memory.waitingSince >= patienceMs ? step.told : step;
}

/** The cloud is at work, as far as was seen, and how it goes on cannot be read. */
function progressUnread(
  step: Step,
  situation: Situation,
  list: ListPoller<unknown> | undefined,
): { told: Told; since: number } | undefined {
  if (step.type !== 'wait' || step.inProgressSince === undefined || !list?.failure || !list.latest) return undefined;
  return { told: unreadableCloud(situation, list.failure).told, since: list.latest.begunAt };
}

function isSettled(object: ManagedObject): boolean {
  const ready = readyOf(object);
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !object.metadata.deletionTimestamp;
}
