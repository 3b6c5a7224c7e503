import { deletionPolicyOf } from '../../situation/deletion-policy.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { call, wait } from '../../step/step.ts';
import { isSettling } from '../../situation/last-operation.ts';
import { unreadableCloud } from './unreadable-cloud.ts';

const deletingStates: ReadonlySet<string> = new Set(['DELETING', 'deleting']);
const goneStates: ReadonlySet<string> = new Set(['DELETED']);

/** Deletes what is there, once, and waits for the cloud to be done with it. */
export function remove<S extends Situation>(stateOf: (situation: S) => string | undefined): Rule<S> {
  return (situation) => {
    const { deletion, cloud, identity, words, object, now, policy, lastOperation: last } = situation;
    if (!deletion.requested || identity.state !== 'known') return undefined;
    if (cloud.state === 'unknown') return unreadableCloud(situation, cloud.error);
    // A 404 and a list are the cloud's word; so is its answer to a DELETE, and that one leaves nothing behind if the others were wrong.
    const isUntried = cloud.state === 'absent' && cloud.word === undefined && !deletion.started;
    if (isUntried)
      return call(
        { type: 'delete', id: identity.id },
        { reason: 'Deleting', message: `making sure that the ${words.noun} is gone from the cloud` },
      );
    if (cloud.state !== 'present') return undefined;
    const state = stateOf(situation) ?? '';
    if (goneStates.has(state)) return { type: 'release', message: `the ${words.noun} is deleted` };
    const isTooLate = deletion.started && deletionPolicyOf(object, policy) === 'Retain';
    const late = isTooLate ? '; that had begun before spec.deletionPolicy became Retain' : '';
    const message = `the cloud is deleting the ${words.noun} ${identity.id}${late}`;
    const begun = last?.operation === 'delete' ? last.at : now;
    if (deletingStates.has(state) || isSettling(last, 'delete', identity.id, cloud.asOf)) {
      return wait('Deleting', message, { inProgressSince: begun });
    }
    return call({ type: 'delete', id: identity.id }, { reason: 'Deleting', message });
  };
}
