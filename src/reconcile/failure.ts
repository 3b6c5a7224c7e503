import type { CloudError } from '../cloud/cloud-error.ts';
import { consequenceOf } from './consequence.ts';
import { phraseOf } from './phrases.ts';
import { quoted } from './rules/unreadable-cloud.ts';
import type { Situation } from './situation.ts';
import { stall, wait, type Step } from './step.ts';
import { unavailableWords } from './unavailable-words.ts';

/** The step that a failed call turns into: what the user reads, and when it is tried again. Pure. */
export function failureStep(step: Step, error: CloudError, { words }: Situation): Step {
  const action = step.type === 'call' || step.type === 'write' ? step.action : undefined;
  const { what, field } = phraseOf(action, `the ${words.noun}`);
  if (action?.type === 'create' && !error.changedNothing) {
    return wait(
      'ResolvingCreate',
      `it is not known yet whether the request to ${what} reached the cloud (${error.kind}): looking for it there; nothing is created twice`,
      {
        afterMs: 1_000,
      },
    );
  }
  const consequence = consequenceOf(error);
  if (consequence.type === 'stall') {
    const hint = consequence.reason === 'Rejected' ? `; change ${field}` : '; check the rights of the API key';
    return stall(consequence.reason, `the cloud refused to ${what}${quoted(error)}${hint}`, { retryAfterMs: consequence.retryAfterMs });
  }
  const after = consequence.retryAfterMs === undefined ? {} : { afterMs: consequence.retryAfterMs };
  return wait(consequence.reason, waitingWords(what, error), after);
}

function waitingWords(what: string, error: CloudError): string {
  switch (error.kind) {
    case 'notFound':
    case 'conflict':
      return `the cloud cannot ${what} now${quoted(error)}; tried again until it can`;
    case 'rateLimited':
      return `the cloud limits how often this API key may call it; waiting to ${what}`;
    case 'unreadable':
      return `the cloud's reply to the request to ${what} could not be understood (${error.field ?? 'no readable content'})`;
    case 'invalid':
    case 'unauthorized':
    case 'forbidden':
    case 'server':
    case 'network':
    case 'timeout':
    case 'aborted':
      return `${unavailableWords(error)}; waiting to ${what}`;
  }
}
