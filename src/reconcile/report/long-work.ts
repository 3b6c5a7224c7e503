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
export function workAfter(step: Step, seen: SeenWork, before: CloudWork | undefined): CloudWork | undefined {
  const { object, cloud, isAtRest, now } = seen;
  if (step.type !== 'wait' || step.inProgressSince === undefined) return cloud.state === 'present' && isAtRest ? undefined : before;
  const { message } = step;
  const id = idOf(seen);
  if (before?.message === message && before.id === id) return before;
  return { id, message, since: Math.min(toldSince(object, message, id) ?? now, now) };
}

type SeenWork = Pick<Situation, 'object' | 'identity' | 'cloud' | 'isAtRest' | 'now'>;

function idOf({ identity }: Pick<Situation, 'identity'>): string | undefined {
  return identity.state === 'known' ? identity.id : undefined;
}

/**
 * Reports the cloud's work that shows no change for long: since when, and what a person may do. It is not polled often any more: the lists that the object
 * follows anyway show its end. Each change of the report is a change of the work.
 */
export function withPatience(step: Step, work: CloudWork | undefined, { now }: Pick<Situation, 'now'>): Step {
  if (step.type !== 'wait' || step.inProgressSince === undefined || !work || now - work.since < longWorkMs) return step;
  const { inProgressSince: _polled, message, ...rest } = step;
  return { ...rest, message: `${message}${unchanged}${new Date(work.since).toISOString()}: ${advice(work.id)}` };
}

function advice(id: string | undefined): string {
  return `look at it there; if it does not end, ask the cloud's support${id === undefined ? '' : ` with the id ${id}`}`;
}

/** The time in status, where an earlier process told this work. So a restart changes no report. */
function toldSince(object: SeenWork['object'], message: string, id: string | undefined): number | undefined {
  const told = readyOf(object)?.message ?? '';
  if (!told.startsWith(message + unchanged) || !told.endsWith(advice(id))) return undefined;
  const at = Date.parse(told.slice((message + unchanged).length).split(': ', 1)[0] ?? '');
  return Number.isNaN(at) ? undefined : at;
}
