import { adopt, nameIsTaken } from '../../decide/rules/adoption.ts';
import { awaitCredentials, holdCredentials, refuseForeignProject } from '../../decide/rules/credentials.ts';
import { awaitDependents, confirmGone, holdDeletion, releaseKept, remove } from '../../decide/rules/deletion.ts';
import { resolveCreateAttempt } from '../../decide/rules/attempt.ts';
import { nothingToObserve, observeOnly, rejectSpec, rejectUndecided, suspended } from '../../decide/rules/spec.ts';
import { backOffAfterRefusal, reportLost } from '../../decide/rules/creation.ts';
import { restoreRecord, yieldToOwner } from '../../decide/rules/ownership.ts';
import { firstApplicable } from '../../decide/rule.ts';
import { inTurn, whatWaits } from '../../decide/pending-change.ts';
import { awaitPeerings } from './rules/await-peerings.ts';
import { create } from './rules/create.ts';
import { peeringsReady } from './rules/peerings-ready.ts';
import { ready } from './rules/ready.ts';
import { removePeerings } from './rules/remove-peerings.ts';
import { resolvePeerings } from './rules/resolve-peerings.ts';
import { vpcChanges } from './fields.ts';
import { madePeerings } from './made-peerings.ts';
import type { VpcSituation } from './situation.ts';

/** What happens to a ManagedVpc: the first rule that applies decides. Reading this list is reading the policy. */
export const decideVpc = firstApplicable<VpcSituation>(
  rejectUndecided,
  suspended,
  yieldToOwner,
  restoreRecord(({ object }) => madePeerings(object)),

  // Whose it is, and whether a create is still open.
  releaseKept,
  awaitCredentials,
  refuseForeignProject,
  holdCredentials,
  resolveCreateAttempt,

  // Being deleted.
  holdDeletion(() => undefined),
  awaitDependents,
  removePeerings,
  remove(() => undefined),
  confirmGone,

  // Does not exist yet, or cannot be told from its spec what it shall be.
  reportLost,
  rejectSpec,
  adopt(() => ({})),
  nothingToObserve,
  backOffAfterRefusal,
  nameIsTaken,
  create,

  // Leave it alone, or bring it to what the spec says, one thing at a time.
  observeOnly(vpcChanges),
  resolvePeerings,
  inTurn(vpcChanges),
  whatWaits(vpcChanges),
  awaitPeerings,
  peeringsReady,
  ready,
);
