import { readyOf } from '../../resources/condition.ts';
import type { ObjectMemory } from '../process/memory.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';

/** Work of the cloud that shows no change for so long may never end. */
export const longWorkMs = 600_000;

const unchanged = '; seen without a change since ';

/**
 * Reports the cloud's work that shows no change for long: since when, and what a person may do. It is not polled often any more: the lists that the object
 * follows anyway show its end. Each change of the report is a change of the work.
 */
export function withPatience(step: Step, { object, identity, now }: LongWork, memory: Pick<ObjectMemory, 'work'>): Step {
  // These say nothing of the work.
  if (step.type === 'keep' || step.type === 'call' || step.type === 'write') return step;
  if (step.type !== 'wait' || step.inProgressSince === undefined) {
    delete memory.work;
    return step;
  }
  const { inProgressSince: _polled, message, ...rest } = step;
  if (memory.work?.message !== message) memory.work = { message, since: Math.min(toldSince(object, message) ?? now, now) };
  const { since } = memory.work;
  if (now - since < longWorkMs) return step;
  const id = identity.state === 'known' ? ` with the id ${identity.id}` : '';
  return {
    ...rest,
    message: `${message}${unchanged}${new Date(since).toISOString()}: look at it there; if it does not end, ask the cloud's support${id}`,
  };
}

type LongWork = Pick<Situation, 'object' | 'identity' | 'now'>;

/** The time in status, where an earlier process told this work. So a restart changes no report. */
function toldSince(object: LongWork['object'], message: string): number | undefined {
  const told = readyOf(object)?.message ?? '';
  if (!told.startsWith(message + unchanged)) return undefined;
  const at = Date.parse(told.slice((message + unchanged).length).split(': ', 1)[0] ?? '');
  return Number.isNaN(at) ? undefined : at;
}
