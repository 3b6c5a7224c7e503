import { keyOf } from '../../runtime/index.ts';
import type { Context } from '../process/context.ts';
import type { ObjectMemory } from '../process/memory.ts';
import type { Outcome } from '../step/outcome.ts';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step, Told } from '../step/step.ts';
import type { Visit } from './visit.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { readyOf } from '../../resources/condition.ts';

/** So long a trouble may pass before anybody has to know. */
export const patienceMs = 30_000;

/**
 * A visit that learned nothing, or could not write, leaves the status as it is for a moment. When that has lasted, the status says what is waited for.
 * What was Ready stays so while it can only not be read: nothing is known to have changed.
 */
export function withWhatLasts<S extends Situation>(visit: Visit<S>, { memory, clock }: Context): Visit<S> {
  const { situation, step, outcome } = visit;
  const { object, now: begunAt } = situation;
  const unread = progressUnread(step, situation);
  const end = { step, outcome: outcome.type, isReady: isSettled(object), unread };
  // A visit that waited long for an answer has lasted, too.
  return { ...visit, step: lastingStep(end, memory.of(object.kind, keyOf(object)), begunAt, clock.now()) };
}

/** A state of the cloud that passes sooner is not told: the next one is. Longer than it takes until the first poll has shown the next. */
const briefMs = 1_500;

/** Since when the cloud is at work that was not told yet. A visit that says nothing changes nothing of that. */
export function rememberWork({ situation: { now }, step, outcome }: Seen, memory: ObjectMemory): void {
  const isWork = isDeletion(step, outcome) || (step.type === 'wait' && step.inProgressSince !== undefined);
  if (isWork) memory.untoldSince ??= now;
  else delete memory.untoldSince;
}

/**
 * How long the cloud's work is left untold; undefined when it is to be told. Its end is often known by then, and one status says both. Counted from when
 * this process first saw work: other clocks, and other processes, may be wrong about its beginning.
 */
export function untoldForMs({ situation: { now } }: Pick<Seen, 'situation'>, { untoldSince }: ObjectMemory): number | undefined {
  const inMs = untoldSince === undefined ? 0 : untoldSince + briefMs - now;
  return inMs > 0 ? inMs : undefined;
}

interface Seen extends Pick<Visit<Situation>, 'step' | 'outcome'> {
  readonly situation: Pick<Situation, 'now'>;
}

/** A deletion is written down before it is asked for. Any other change that was accepted is known by the status alone, to the next process too. */
function isDeletion(step: Step, outcome: Outcome): boolean {
  return step.type === 'call' && step.action.type === 'delete' && outcome.type === 'done';
}

/** How a visit ended. */
interface End {
  readonly step: Step;
  readonly outcome: Outcome['type'];
  readonly isReady: boolean;
  /** The cloud is at work, and since when that cannot be followed. */
  readonly unread?: { readonly told: Told; readonly since: number } | undefined;
}

/** @param begunAt policy time at the beginning of the visit */
export function lastingStep({ step, outcome, isReady, unread }: End, memory: ObjectMemory, begunAt: number, now: number): Step {
  if (step.type !== 'keep') {
    delete memory.waitingSince;
    return unread && now - unread.since >= patienceMs ? unread.told : step;
  }
  memory.waitingSince ??= begunAt;
  const isToBeTold = outcome === 'hindered' || outcome === 'overtaken' || !isReady;
  return isToBeTold && now - memory.waitingSince >= patienceMs ? step.told : step;
}

/** In how long it will have lasted; undefined when it has, and was not to be told. */
export function toldInMs({ waitingSince }: ObjectMemory, now: number): number | undefined {
  const inMs = (waitingSince ?? now) + patienceMs - now;
  return inMs > 0 ? inMs : undefined;
}

/** The cloud is at work, as far as was seen, and how it goes on cannot be read. */
function progressUnread(step: Step, situation: Situation): End['unread'] {
  const { progressList: list } = situation;
  if (step.type !== 'wait' || step.inProgressSince === undefined || !list?.failure || !list.latest) return undefined;
  return { told: unreadableCloud(situation, list.failure).told, since: list.latest.begunAt };
}

function isSettled(object: ManagedObject): boolean {
  const ready = readyOf(object);
  return ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !object.metadata.deletionTimestamp;
}
