import type { ReplicaSet } from '../../../cloud/wire/replica-set.ts';
import { policy } from '../../decide/policy.ts';
import { secretNamed } from '../../decide/rules/adoption.ts';
import { awaitParent, create } from './rules/create.ts';
import { connectionSecret, dropLeftover } from './rules/connection-secret.ts';
import { ready, reportError, settle } from './rules/settle.ts';
import { removeUnlisted } from './rules/remove-unlisted.ts';
import type { ReplicaSetSituation } from './situation.ts';

/** The policy of a ReplicaSet, beside the shared policy. */
export const decideReplicaSet = policy<ReplicaSet, ReplicaSetSituation>({
  always: {
    recordParts: ({ secret, parent }) => (parent.state === 'found' ? { secretName: secret.name, parentServiceId: parent.id } : undefined),
  },
  deleting: { before: [removeUnlisted] },
  missing: {
    place: [awaitParent],
    adopted: (situation) => ({
      ...secretNamed(situation),
      ...(situation.parent.state === 'found' ? { parentServiceId: situation.parent.id } : {}),
    }),
    create,
  },
  existing: {
    settle: [settle],
    leftover: [dropLeftover],
    connectionSecret: [connectionSecret],
    trouble: [reportError],
    ready,
  },
});
