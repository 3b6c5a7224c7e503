import { readyOf } from '../../resources/condition.ts';
import type { CloudWork } from '../process/memory.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';

/** Work of the cloud that shows no change for so long may never end. */
export const longWorkMs = 600_000;

const unchanged = '; seen without a change since ';

/**
 * The cloud's work after this visit, for the next one. Another report of the work, and a resource at rest, end the earlier one; whatever else is reported
 * meanwhile says nothing of it.
 * @param before the work after the last visit
 */
export function workAfter(step: Step, { object, cloud, isAtRest, now }: SeenWork, before: CloudWork | undefined): CloudWork | undefined {
  if (step.type !== 'wait' || step.inProgressSince === undefined) return cloud.state === 'present' && isAtRest ? undefined : before;
  const { message } = step;
  return before?.message === message ? before : { message, since: Math.min(toldSince(object, message) ?? now, now) };
}

type SeenWork = Pick<Situation, 'object' | 'cloud' | 'isAtRest' | 'now'>;

/**
 * Reports the cloud's work that shows no change for long: since when, and what a person may do. It is not polled often any more: the lists that the object
 * follows anyway show its end. Each change of the report is a change of the work.
 */
export function withPatience(step: Step, work: CloudWork | undefined, { identity, now }: Pick<Situation, 'identity' | 'now'>): Step {
  if (step.type !== 'wait' || step.inProgressSince === undefined || !work || now - work.since < longWorkMs) return step;
  const { inProgressSince: _polled, message, ...rest } = step;
  const id = identity.state === 'known' ? ` with the id ${identity.id}` : '';
  return {
    ...rest,
    message: `${message}${unchanged}${new Date(work.since).toISOString()}: look at it there; if it does not end, ask the cloud's support${id}`,
  };
}

/** The time in status, where an earlier process told this work. So a restart changes no report. */
function toldSince(object: SeenWork['object'], message: string): number | undefined {
  const told = readyOf(object)?.message ?? '';
  if (!told.startsWith(message + unchanged)) return undefined;
  const at = Date.parse(told.slice((message + unchanged).length).split(': ', 1)[0] ?? '');
  return Number.isNaN(at) ? undefined : at;
}
