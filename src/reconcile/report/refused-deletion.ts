import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Step } from '../step/step.ts';

/**
 * The outcome of a step. A clear refusal to delete what the cloud does not show any more is an answer, like a 404: nothing was lost on the way, and the same
 * request would be refused for ever. One for want of a right, or of room, says nothing of the resource.
 */
export function orAnswered(outcome: Outcome, step: Step, { list }: Pick<Situation, 'list'>): Outcome {
  if (outcome.type !== 'failed' || step.type !== 'call' || !isClearRefusal(outcome.error)) return outcome;
  const { action } = step;
  if ((action.type !== 'delete' && action.type !== 'deletePeering') || !action.isUnshown) return outcome;
  if (action.type === 'delete') list?.denyRemoval(action.id);
  return { type: 'done', object: outcome.object, accepted: { operation: action.type, wanted: action.id } };
}

function isClearRefusal({ changedNothing, sent, kind }: CloudError): boolean {
  return sent && changedNothing && (kind === 'invalid' || kind === 'conflict');
}
