import type { CloudError } from '../../cloud/cloud-error.ts';
import { consequenceOf } from '../consequence.ts';
import type { Situation } from '../situation.ts';
import { stall, wait, type Step } from '../step.ts';
import { troubleWords } from '../trouble-words.ts';
import { readyOf } from '../conditions.ts';

const patienceMs = 30_000;
const lookAgainMs = 5_000;

/**
 * The cloud could not be read. What was Ready stays Ready: nothing is known to have changed. Only an object with something still to do
 * tells of it, and only when it has lasted.
 */
export function unreadableCloud({ object, now, words }: Situation, error: CloudError | undefined, since: number | undefined): Step {
  const ready = readyOf(object);
  const isSettled =
    ready?.status === 'True' && ready.observedGeneration === object.metadata.generation && !object.metadata.deletionTimestamp;
  if (isSettled || !error) return { type: 'keep', message: `the ${words.noun} could not be read`, afterMs: lookAgainMs };
  const trouble = troubleWords(error, `show the ${words.noun}`);
  const consequence = consequenceOf(error);
  if (consequence.type === 'stall')
    return stall(consequence.reason, `${trouble}; check the rights of the API key`, { retryAfterMs: consequence.retryAfterMs });
  if (consequence.reason === 'UnexpectedReply') return wait('UnexpectedReply', `${trouble}; tried again by itself`);
  if (since === undefined || now - since < patienceMs) return { type: 'keep', message: 'the cloud does not answer', afterMs: lookAgainMs };
  return wait(consequence.reason, `${trouble}; tried again by itself`, { afterMs: lookAgainMs });
}
