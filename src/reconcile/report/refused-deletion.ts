import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Step } from '../step/step.ts';

/**
 * The outcome of a step. Where the cloud shows a resource as `DELETED`, a clear refusal to delete it again agrees with that, and is an answer. Of what it does not
 * show at all, a refusal rather says that it is there: lists and GETs may be wrong.
 */
export function orAnswered(outcome: Outcome, step: Step, { cloud }: Pick<Situation, 'cloud'>): Outcome {
  if (outcome.type !== 'failed' || step.type !== 'call' || step.action.type !== 'delete' || !isClearRefusal(outcome.error)) return outcome;
  if (cloud.state !== 'absent' || cloud.word === undefined) return outcome;
  return { type: 'done', object: outcome.object, accepted: { operation: 'delete', wanted: step.action.id } };
}

function isClearRefusal({ changedNothing, sent, kind }: CloudError): boolean {
  return sent && changedNothing && (kind === 'invalid' || kind === 'conflict');
}
