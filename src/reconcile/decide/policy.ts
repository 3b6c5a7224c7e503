import type { ResourceRecord } from '../record/record.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';
import { inTurn, whatWaits } from './pending-change.ts';
import { phaseOf, type Deleting, type Existing, type Missing } from './phase.ts';
import { inOrder, type Rule } from './rule.ts';
import { adopt, nameIsTaken } from './rules/adoption.ts';
import { resolveCreateAttempt } from './rules/attempt.ts';
import { awaitPlace, moveConnection, nameConnection, remakeConnection, secretConflict } from './rules/connection.ts';
import { backOffAfterRefusal, reportLost } from './rules/creation.ts';
import { awaitCredentials, holdCredentials, refuseForeignProject } from './rules/credentials.ts';
import { awaitDependents, confirmGone, holdDeletion, releaseKept, remove } from './rules/deletion.ts';
import { restoreRecord, yieldToOwner, type PartsOf } from './rules/ownership.ts';
import { nothingToObserve, observeOnly, rejectSpec, rejectUndecided, suspended } from './rules/spec.ts';

/**
 * What happens to an object of any kind: the first rule that applies decides. Reading these four lists is reading the policy; behind each name stands
 * what the rules after it may rely on. A list of another name stands for rules of one kind.
 */
export function policy<Resource, S extends Situation<Resource>>(own: OwnRules<Resource, S>): (situation: S) => Step {
  const [always, deleting, missing, existing] = [alwaysOf(own), deletingOf(own), missingOf(own), existingOf(own)];
  const inPhase = (situation: ReturnType<typeof phaseOf<Resource, S>>): Step | undefined => {
    switch (situation?.phase) {
      case 'deleting':
        return deleting(situation);
      case 'missing':
        return missing(situation);
      case 'existing':
        return existing(situation);
      case undefined:
        return undefined;
    }
  };
  return (situation) => {
    const step = always(situation) ?? inPhase(phaseOf<Resource, S>(situation));
    if (!step) throw new Error('no rule applies: the last rule of a phase must always apply');
    return step;
  };
}

function alwaysOf<Resource, S extends Situation<Resource>>({ always: { recordParts } }: OwnRules<Resource, S>) {
  return inOrder<S>(
    rejectUndecided, // the spec says whether and with which key something may be deleted
    suspended, // the user did not say that nothing is to be changed
    yieldToOwner, // the resource is this object's and nobody else's
    restoreRecord(recordParts), // one id is known, or none; record and finalizer are there
    releaseKept, // an object that goes has a resource that shall go, too
    awaitCredentials, // the key is proven
    refuseForeignProject, // it is a key of the project that the resource is in
    holdCredentials, // the Secret of the key stays as long as it is needed
    resolveCreateAttempt, // no create is open: what it made is known, and nothing is made twice
  );
}

function deletingOf<Resource, S extends Situation<Resource>>({ deleting: { before = [] } = {} }: OwnRules<Resource, S>) {
  return inOrder<Deleting<S>>(
    holdDeletion, // neither the CRD goes nor is the database protected
    awaitDependents, // nothing in the cloud hangs on it
    ...before, // what this object made around it is gone
    remove, // the cloud was asked to delete it, once
    confirmGone, // the object goes when the absence is proven
  );
}

function missingOf<Resource, S extends Situation<Resource>>({
  missing: { place = [], references = [], adopted, create },
}: OwnRules<Resource, S>) {
  return inOrder<Missing<S>>(
    reportLost, // nothing was made, or a person allowed another in the place of what is lost
    rejectSpec, // all of the spec can be read
    ...place, // it is known where to look for it and where to make it
    secretConflict, // there is a place for its password
    adopt(adopted), // nobody asked for one to be taken over that is there already
    nothingToObserve, // it may be made
    ...references, // what a new one names is there
    backOffAfterRefusal, // a create that was refused has rested
    nameIsTaken, // its name is free, or a person said that another of that name may be made
    create,
  );
}

function existingOf<Resource, S extends Situation<Resource>>({ existing }: OwnRules<Resource, S>) {
  const { settle = [], beforeChanges = [], leftover = [], connectionSecret = [], trouble = [], waits = [], ready } = existing;
  return inOrder<Existing<Resource, S>>(
    rejectSpec, // all of the spec can be read
    remakeConnection, // nobody deleted the connection Secret: its password is nowhere else
    observeOnly, // it may be changed
    ...settle, // the cloud is not at work on it
    nameConnection, // the record names the connection Secret
    ...beforeChanges, // changes that were asked for before are answered
    inTurn, // what can be changed now is as the spec says
    ...leftover, // one Secret has the password
    moveConnection, // the connection Secret has the name that the spec gives it
    ...connectionSecret, // and says what the cloud says
    awaitPlace, // no deleted Secret is in its place
    ...trouble, // the cloud reports no trouble with it
    whatWaits, // no change was refused
    ...waits, // nothing else is waited for
    ready,
  );
}

/** The rules of one kind, by the places where they stand in the policy of all. */
export interface OwnRules<Resource, S extends Situation<Resource>> {
  readonly always: {
    /** What a kind knows beside the id, for a record that was lost; undefined while something that belongs into the record is not known. */
    readonly recordParts: PartsOf<S>;
  };
  readonly deleting?: {
    readonly before?: readonly Rule<Deleting<S>>[];
  };
  readonly missing: {
    readonly place?: readonly Rule<Missing<S>>[];
    /** What goes into the record beside the id of a resource that is taken over. */
    readonly adopted: (situation: S) => Partial<ResourceRecord>;
    readonly references?: readonly Rule<Missing<S>>[];
    readonly create: Rule<Missing<S>>;
  };
  readonly existing: {
    readonly settle?: readonly Rule<Existing<Resource, S>>[];
    readonly beforeChanges?: readonly Rule<Existing<Resource, S>>[];
    readonly leftover?: readonly Rule<Existing<Resource, S>>[];
    readonly connectionSecret?: readonly Rule<Existing<Resource, S>>[];
    readonly trouble?: readonly Rule<Existing<Resource, S>>[];
    readonly waits?: readonly Rule<Existing<Resource, S>>[];
    readonly ready: Rule<Existing<Resource, S>>;
  };
}
