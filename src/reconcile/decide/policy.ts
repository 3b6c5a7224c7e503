import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import { cutToFit } from '../step/short-message.ts';
import { makeNextChange, reportBlockedChanges } from './pending-change.ts';
import { reportHeldChanges } from './gate.ts';
import type { Deleting, Existing, Missing, Phase, Rule } from './rule.ts';
import {
  adoptNamed,
  askAboutLeftovers,
  nameIsTaken,
  backOffAfterFailedCreate,
  reportLost,
  nothingToObserve,
} from './rules/missing.ts';
import {
  resolveCreateAttempt,
  awaitCredentials,
  holdCredentials,
  recordCredentials,
  refuseForeignProject,
  releaseRetained,
  dropLeftEntries,
  hold,
  rejectUndecided,
  suspended,
} from './rules/always.ts';
import { ownsResource } from './rules/owning.ts';
import {
  dropOldConnections,
  keepConnection,
  dropUsedApprovals,
  dropUsedPermission,
  restoreConnection,
  observeOnly,
  rejectSpec,
} from './rules/existing.ts';
import {
  awaitDeletion,
  awaitEarlierDelete,
  confirmGone,
  sendDelete,
  type DeletionOf,
  awaitDependents,
  holdDeletion,
} from './rules/deleting.ts';

/**
 * The policy of all kinds: the first rule that applies decides. The comment behind each rule states the fact
 * that holds once the rule does not apply. A name without a shared rule is a place for the rules of a kind.
 */
export function policy<Resource, S extends Situation<Resource>>(
  own: OwnRules<Resource, S>,
): (situation: S) => Step {
  const always = alwaysOf(own);
  const [deleting, missing, existing] = [deletingOf(own), missingOf(own), existingOf(own)];
  const inPhase = (situation: Phase<Resource, S>): Step | undefined => {
    if (situation.phase === 'deleting') return deleting(situation);
    return situation.phase === 'missing' ? missing(situation) : existing(situation);
  };
  return (situation) => {
    const phase = phaseOf<Resource, S>(situation);
    const step = always(situation) ?? (phase && inPhase(phase));
    if (!step) throw new Error('no rule applies: the last rule of a phase must always apply');
    return withKeyInDanger(step, situation);
  };
}

/** The step with a warning about the Secret of the API key, which a user has deleted: its deletion waits for this object. */
function withKeyInDanger(step: Step, { account, deletion }: Situation): Step {
  const secret = account.state === 'usable' ? account.secret : undefined;
  const isQuiet = step.type === 'done' || step.type === 'held';
  if (!isQuiet || !secret?.terminating || deletion.requested) return step;
  const warning = `; Secret "${secret.name}" with the API key is being deleted: name another Secret in spec.credentialsRef`;
  return { ...step, message: cutToFit(step.message, warning) + warning };
}

/** Undefined if the key is not proven, or if the object is being deleted and has no resource. */
export function phaseOf<Resource, S>(
  situation: Situation<Resource> & S,
): Phase<Resource, S> | undefined {
  const { account, record, cloud, deletion } = situation;
  if (account.state !== 'usable') return undefined;
  const key = account;
  const { id } = record;
  if (deletion.requested)
    return id === undefined ? undefined : { ...situation, phase: 'deleting', key, id };
  if (id === undefined || cloud.state !== 'present')
    return { ...situation, phase: 'missing', key, id };
  return { ...situation, phase: 'existing', key, id, resource: cloud.resource, asOf: cloud.asOf };
}

function firstThatApplies<S>(...rules: readonly Rule<S>[]): Rule<S> {
  return (situation) => {
    for (const rule of rules) {
      const step = rule(situation);
      if (step) return step;
    }
    return undefined;
  };
}

function alwaysOf<Resource, S extends Situation<Resource>>({
  deleting: { states },
}: OwnRules<Resource, S>) {
  return firstThatApplies<Situation>(
    rejectUndecided, // the fields that decide about deletion and its key are readable
    ownsResource, // the ledger binds this object to its resource, or it is a new object
    hold, // ledger entry and finalizer exist, also while suspended: without them a deletion does not wait
    suspended, // the user has not suspended the object; from here on the cloud, or the data of users, is changed
    awaitEarlierDelete(states), // the cloud is not carrying out a DELETE of an earlier process
    releaseRetained, // if the object is being deleted, its resource must be deleted, too
    awaitCredentials, // the key is proven
    refuseForeignProject, // the key belongs to the resource's project
    holdCredentials, // the credentials Secret is held as long as it is needed
    recordCredentials, // the ledger names the Secret of this key, so a later edit of the spec does not release it
    resolveCreateAttempt, // no create is open: its result is known, and nothing is created twice
    dropLeftEntries, // no other entry is about the resource
  );
}

function deletingOf<Resource, S extends Situation<Resource>>({
  deleting: { states, deletion, before = [] },
}: OwnRules<Resource, S>) {
  return firstThatApplies<Deleting<S>>(
    awaitDeletion(states), // the cloud is not deleting it already
    holdDeletion, // the CRD is not being deleted, and the database is not protected
    awaitDependents, // no resource in the cloud depends on this resource: from here on, DELETEs may be sent
    ...before, // the resources that this object created around it are gone
    sendDelete(deletion), // the cloud has answered a DELETE of it
    confirmGone, // the object is released when the absence is proven
  );
}

function missingOf<Resource, S extends Situation<Resource>>({
  missing: { place = [], references = [], adopted, create },
}: OwnRules<Resource, S>) {
  return firstThatApplies<Missing<S>>(
    reportLost, // nothing was created, or a user allowed a replacement for the lost resource
    rejectSpec, // the whole spec is readable
    ...place, // the place of the resource is known, for finding and creating it
    adoptNamed(adopted), // the user did not ask to adopt an existing resource
    askAboutLeftovers, // an earlier object of this name left no resource
    nothingToObserve, // a resource may be created
    ...references, // the objects that the spec refers to exist
    backOffAfterFailedCreate, // the back-off after a failed create is over
    nameIsTaken, // the name is free, or a user allowed a second resource of the name
    create,
  );
}

function existingOf<Resource, S extends Situation<Resource>>({ existing }: OwnRules<Resource, S>) {
  const { beforeChanges = [], trouble = [], waits = [], ready } = existing;
  return firstThatApplies<Existing<Resource, S>>(
    rejectSpec, // the whole spec is readable
    observeOnly, // it may be changed
    dropUsedApprovals, // no approval is left of a change that the cloud has accepted
    restoreConnection, // no user deleted or edited the connection Secret
    dropUsedPermission, // no permission for a recreation is left, unless another program writes it again
    ...beforeChanges, // the cloud is not working on it, and the record has no attachment that is over
    makeNextChange, // every change that is possible now is made
    keepConnection, // the connection Secret has the name in the spec, and is up to date
    dropOldConnections, // no Secret of an earlier name is left
    ...trouble, // the cloud reports no trouble
    reportBlockedChanges, // no change was refused
    ...waits, // nothing else is waited for
    reportHeldChanges, // no change waits for a window or for an approval
    ready,
  );
}

/** The rules of a kind, by their places in the shared policy. */
export interface OwnRules<Resource, S extends Situation<Resource>> {
  readonly deleting: {
    /** The states in which the cloud is deleting the resource already. */
    readonly states: readonly string[];
    readonly deletion: DeletionOf<Deleting<S>>;
    readonly before?: readonly Rule<Deleting<S>>[];
  };
  readonly missing: {
    readonly place?: readonly Rule<Missing<S>>[];
    /** The parts of the record beside the id, for an adopted resource. */
    readonly adopted: (situation: S) => Partial<ResourceRecord>;
    readonly references?: readonly Rule<Missing<S>>[];
    readonly create: Rule<Missing<S>>;
  };
  readonly existing: {
    readonly beforeChanges?: readonly Rule<Existing<Resource, S>>[];
    readonly trouble?: readonly Rule<Existing<Resource, S>>[];
    readonly waits?: readonly Rule<Existing<Resource, S>>[];
    readonly ready: Rule<Existing<Resource, S>>;
  };
}
