import { adopt, secretNamed } from '../../decide/rules/adopt.ts';
import { awaitCredentials, holdCredentials } from '../../decide/rules/await-credentials.ts';
import { backOffAfterRefusal } from '../../decide/rules/back-off-after-refusal.ts';
import { confirmGone } from '../../decide/rules/confirm-gone.ts';
import { holdDeletion } from '../../decide/rules/hold-deletion.ts';
import { moveConnection } from '../../decide/rules/move-connection.ts';
import { nameConnection } from '../../decide/rules/name-connection.ts';
import { nameIsTaken } from '../../decide/rules/name-is-taken.ts';
import { nothingToObserve, observeOnly } from '../../decide/rules/observe-only.ts';
import { refuseForeignProject } from '../../decide/rules/refuse-foreign-project.ts';
import { rejectSpec, rejectUndecided } from '../../decide/rules/reject-spec.ts';
import { releaseKept } from '../../decide/rules/release-kept.ts';
import { awaitPlace, remakeConnection } from '../../decide/rules/remake-connection.ts';
import { remove } from '../../decide/rules/remove.ts';
import { reportLost } from '../../decide/rules/report-lost.ts';
import { resolveCreateAttempt } from '../../decide/rules/resolve-create-attempt.ts';
import { restoreRecord } from '../../decide/rules/restore-record.ts';
import { secretConflict } from '../../decide/rules/secret-conflict.ts';
import { suspended } from '../../decide/rules/suspended.ts';
import { yieldToOwner } from '../../decide/rules/yield-to-owner.ts';
import { firstApplicable } from '../../decide/rule.ts';
import { inTurn, whatWaits } from '../../decide/pending-change.ts';
import { awaitParent } from './rules/await-parent.ts';
import { connectionPooler } from './rules/connection-pooler.ts';
import { connectionSecret } from './rules/connection-secret.ts';
import { create } from './rules/create.ts';
import { dropLeftover } from './rules/drop-leftover.ts';
import { environment } from './rules/environment.ts';
import { ready } from './rules/ready.ts';
import { removeUnlisted } from './rules/remove-unlisted.ts';
import { resize } from './rules/resize.ts';
import { reportError, settle, whileActive } from './rules/settle.ts';
import type { ReplicaSetSituation } from './situation.ts';
import { environmentOf, stateOf } from './state.ts';

/** What a spec may ask of a replica set that exists, in the order in which it is done. */
export const replicaSetChanges = [resize, environment, connectionPooler];

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
