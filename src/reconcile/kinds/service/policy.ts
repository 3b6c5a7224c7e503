import { adopt, secretNamed, nameIsTaken } from '../../decide/rules/adoption.ts';
import { awaitCredentials, holdCredentials, refuseForeignProject } from '../../decide/rules/credentials.ts';
import { awaitDependents, confirmGone, holdDeletion, releaseKept, remove } from '../../decide/rules/deletion.ts';
import { resolveCreateAttempt } from '../../decide/rules/attempt.ts';
import { moveConnection, nameConnection, awaitPlace, remakeConnection, secretConflict } from '../../decide/rules/connection.ts';
import { nothingToObserve, observeOnly, rejectSpec, rejectUndecided, suspended } from '../../decide/rules/spec.ts';
import { backOffAfterRefusal, reportLost } from '../../decide/rules/creation.ts';
import { restoreRecord, yieldToOwner } from '../../decide/rules/ownership.ts';
import { firstApplicable } from '../../decide/rule.ts';
import { inTurn, whatWaits } from '../../decide/pending-change.ts';
import { serviceChanges } from './fields.ts';
import { knownByStatus } from './known-by-status.ts';
import { awaitReferences } from './rules/await-references.ts';
import { connectionSecret } from './rules/connection-secret.ts';
import { awaitVpc } from './rules/await-vpc.ts';
import { create } from './rules/create.ts';
import { ready } from './rules/ready.ts';
import { settle, stillAtWork } from './rules/settle.ts';
import type { ServiceSituation } from './situation.ts';
import { environmentOf, stateOf } from './state.ts';

/** What happens to a ManagedService: the first rule that applies decides. Reading this list is reading the policy. */
export const decideService = firstApplicable<ServiceSituation>(
  rejectUndecided,
  suspended,
  yieldToOwner,
  restoreRecord(knownByStatus),

  // Whose it is, and whether a create is still open.
  releaseKept,
  awaitCredentials,
  refuseForeignProject,
  holdCredentials,
  resolveCreateAttempt,

  // Being deleted.
  holdDeletion(environmentOf),
  awaitDependents,
  remove(stateOf),
  confirmGone,

  // Does not exist yet, or cannot be told from its spec what it shall be.
  reportLost,
  rejectSpec,
  secretConflict,
  adopt(({ object, secret, policy }) => ({ ...secretNamed(object, secret.name, policy), password: 'unmanaged' })),
  nothingToObserve,
  awaitReferences,
  backOffAfterRefusal,
  nameIsTaken,
  create,

  // Leave it alone, or the cloud is busy.
  remakeConnection,
  observeOnly(serviceChanges),
  settle(serviceChanges),

  // Bring it to what the spec says, one thing at a time.
  nameConnection,
  inTurn(serviceChanges),
  moveConnection,
  connectionSecret,
  awaitPlace,
  stillAtWork(serviceChanges),
  whatWaits(serviceChanges),
  awaitVpc,
  ready(serviceChanges),
);
