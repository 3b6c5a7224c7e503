import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import type { ReplicaSetSituation } from '../situation.ts';

const askAgainMs = 10_000;

/** A list that lacks it may be late, and there is no GET: the DELETE itself is asked once more. */
export const removeUnlisted: Rule<ReplicaSetSituation> = ({ deletion, cloud, identity, lastOperation, now }) => {
  if (!deletion.requested || identity.state !== 'known' || cloud.state !== 'missing') return undefined;
  const { operation, wanted, at = 0 } = lastOperation ?? {};
  if (operation === 'delete' && wanted === identity.id && now - at < askAgainMs) return undefined;
  return call(
    { type: 'delete', id: identity.id },
    { reason: 'Deleting', message: `making sure that the replica set ${identity.id} is gone from the cloud` },
  );
};
