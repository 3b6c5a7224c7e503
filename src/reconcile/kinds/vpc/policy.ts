import { adopt } from '../../decide/rules/adopt.ts';
import { awaitCredentials, holdCredentials } from '../../decide/rules/await-credentials.ts';
import { awaitDependents } from '../../decide/rules/await-dependents.ts';
import { backOffAfterRefusal } from '../../decide/rules/back-off-after-refusal.ts';
import { confirmGone } from '../../decide/rules/confirm-gone.ts';
import { holdDeletion } from '../../decide/rules/hold-deletion.ts';
import { nameIsTaken } from '../../decide/rules/name-is-taken.ts';
import { nothingToObserve, observeOnly } from '../../decide/rules/observe-only.ts';
import { refuseForeignProject } from '../../decide/rules/refuse-foreign-project.ts';
import { rejectSpec, rejectUndecided } from '../../decide/rules/reject-spec.ts';
import { releaseKept } from '../../decide/rules/release-kept.ts';
import { remove } from '../../decide/rules/remove.ts';
import { reportLost } from '../../decide/rules/report-lost.ts';
import { resolveCreateAttempt } from '../../decide/rules/resolve-create-attempt.ts';
import { restoreRecord } from '../../decide/rules/restore-record.ts';
import { suspended } from '../../decide/rules/suspended.ts';
import { yieldToOwner } from '../../decide/rules/yield-to-owner.ts';
import { firstApplicable } from '../../decide/rule.ts';
import { inTurn, whatWaits } from '../../decide/pending-change.ts';
import { awaitPeerings } from './rules/await-peerings.ts';
import { create } from './rules/create.ts';
import { createPeerings } from './rules/create-peerings.ts';
import { peeringsReady } from './rules/peerings-ready.ts';
import { ready } from './rules/ready.ts';
import { removePeerings } from './rules/remove-peerings.ts';
import { removeUnwantedPeerings } from './rules/remove-unwanted-peerings.ts';
import { rename } from './rules/rename.ts';
import { resolvePeerings } from './rules/resolve-peerings.ts';
import { madePeerings } from './made-peerings.ts';
import type { VpcSituation } from './situation.ts';

/** What a spec may ask of a VPC that exists, in the order in which it is done. */
export const vpcChanges = [removeUnwantedPeerings, createPeerings, rename];

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
