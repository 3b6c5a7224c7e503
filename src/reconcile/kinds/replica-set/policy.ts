import { adopt, secretNamed, nameIsTaken } from '../../decide/rules/adoption.ts';
import { awaitCredentials, holdCredentials, refuseForeignProject } from '../../decide/rules/credentials.ts';
import { resolveCreateAttempt } from '../../decide/rules/attempt.ts';
import { confirmGone, holdDeletion, releaseKept, remove } from '../../decide/rules/deletion.ts';
import { moveConnection, nameConnection, awaitPlace, remakeConnection, secretConflict } from '../../decide/rules/connection.ts';
import { nothingToObserve, observeOnly, rejectSpec, rejectUndecided, suspended } from '../../decide/rules/spec.ts';
import { backOffAfterRefusal, reportLost } from '../../decide/rules/creation.ts';
import { restoreRecord, yieldToOwner } from '../../decide/rules/ownership.ts';
import { firstApplicable } from '../../decide/rule.ts';
import { inTurn, whatWaits } from '../../decide/pending-change.ts';
import { replicaSetChanges } from './fields.ts';
import { awaitParent } from './rules/await-parent.ts';
import { connectionSecret } from './rules/connection-secret.ts';
import { create } from './rules/create.ts';
import { dropLeftover } from './rules/drop-leftover.ts';
import { ready } from './rules/ready.ts';
import { removeUnlisted } from './rules/remove-unlisted.ts';
import { reportError, settle, whileActive } from './rules/settle.ts';
import type { ReplicaSetSituation } from './situation.ts';
import { environmentOf, stateOf } from './state.ts';

/** What happens to a ReplicaSet: the first rule that applies decides. Reading this list is reading the policy. */
export const decideReplicaSet = firstApplicable<ReplicaSetSituation>(
  rejectUndecided,
  suspended,
  yieldToOwner,
  restoreRecord(({ secret, parent }) => (parent.state === 'found' ? { secretName: secret.name, parentServiceId: parent.id } : undefined)),

  // Whose it is, and whether a create is still open.
  releaseKept,
  awaitCredentials,
  refuseForeignProject,
  holdCredentials,
  resolveCreateAttempt,

  // Being deleted.
  holdDeletion(environmentOf),
  remove(stateOf),
  removeUnlisted,
  confirmGone,

  // Does not exist yet, or cannot be told from its spec what it shall be.
  reportLost,
  rejectSpec,
  awaitParent,
  secretConflict,
  adopt(({ object, secret, parent, policy }) => ({
    ...secretNamed(object, secret.name, policy),
    ...(parent.state === 'found' ? { parentServiceId: parent.id } : {}),
  })),
  nothingToObserve,
  backOffAfterRefusal,
  nameIsTaken,
  create,

  // Leave it alone, or the cloud is busy.
  remakeConnection,
  observeOnly(replicaSetChanges),
  settle,

  // Bring it to what the spec says, one thing at a time.
  nameConnection,
  whileActive(inTurn(replicaSetChanges)),
  dropLeftover,
  moveConnection,
  connectionSecret,
  awaitPlace,
  reportError,
  whatWaits(replicaSetChanges),
  ready,
);
