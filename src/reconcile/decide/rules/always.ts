import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { annotations } from '../../../resources/annotations.ts';
import { howToAdopt, mayAdopt } from '../../situation/neighbours.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { askPerson, stall, wait, write, type Step, keep, type Fate } from '../../step/step.ts';
import { cutToFit, listed } from '../../step/short-message.ts';
import { intervals } from '../../step/intervals.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { difference, withDifferences } from '../pending-change.ts';
import { printable } from '../../../logging/printable.ts';
import { lastWords } from '../last-words.ts';
import { orRetain } from '../or-retain.ts';
import { withoutAttempt, hasResource, concluded } from '../../ledger/record.ts';
import { attemptName } from '../../ledger/attempt.ts';
import type { KeyState } from '../../credentials/key-state.ts';
import { isRetained } from '../../situation/options.ts';
import { isReason, syncedOf } from '../../../resources/condition.ts';
import { decidingProblem, type SpecProblem } from '../../../resources/stored-object.ts';

/** Without the fields that decide about changes, deletion and the key, nothing is called, not even for a deletion. */
export const rejectUndecided: Rule<Situation> = ({ object }) => {
  const problem = decidingProblem(object.problems);
  return (
    problem &&
    stall(
      'Rejected',
      unreadable(problem, ': correct it; until then the operator changes and deletes nothing'),
    )
  );
};

/**
 * The message about a field that the operator cannot read.
 * @param advice the end of the message; the expectation is cut so that the message fits
 */
export function unreadable({ path, value, expectation }: SpecProblem, advice: string): string {
  const problem = `${path} cannot be read: it is ${value}`;
  return `${problem} (${cutToFit(expectation, `${problem} ()${advice}`)})${advice}`;
}

/** Ensures ledger entry and finalizer (after a restore, `kubectl replace`) before any other work, also while the object is suspended. */
export const hold: Rule<Situation> = ({
  claim,
  record,
  hasFinalizer,
  hasPointer,
  deletion,
  noun,
}) => {
  if (claim.state === 'rebind')
    return write(
      { type: 'rebind', entry: claim.entry },
      `the object takes over the ledger entry of its ${noun}`,
    );
  if (!hasResource(record) || deletion.requested || (hasFinalizer && hasPointer)) return undefined;
  return write(
    { type: 'hold' },
    `the ${hasFinalizer ? 'ledger pointer' : 'finalizer'} was lost and is written back`,
  );
};

/** A suspended object only reports. Its deletion waits, too. */
export const suspended: Rule<Situation> = (situation) => {
  const { object, deletion, cloud, noun, record, attempt } = situation;
  if (object.spec.suspend !== true) return undefined;
  if (deletion.requested) {
    const isKeepable =
      record.id !== undefined && !attempt && !deletion.started && !isRetained(situation);
    const advice = isKeepable
      ? `to keep the ${noun}, set spec.deletionPolicy to Retain first; `
      : '';
    return stall(
      'DeletionBlocked',
      `deletion waits because spec.suspend is true: ${advice}set spec.suspend to false to go on`,
    );
  }
  const message =
    'spec.suspend is true: the operator changes nothing for this object; set it to false to go on';
  if (cloud.state === 'absent')
    return {
      type: 'suspended',
      message: `the ${noun} is gone from the cloud; ${message}`,
      differs: true,
    };
  if (record.id === undefined) {
    const none = attempt ? '' : `no ${noun} was created; `;
    return { type: 'suspended', message: none + message, differs: true };
  }
  if (cloud.state !== 'present')
    return {
      type: 'suspended',
      message: `${message}; the cloud does not show now whether the ${noun} differs`,
      differs: 'unknown',
    };
  const differences = differencesOf(situation);
  return {
    type: 'suspended',
    message: printable(withDifferences(message, differences)),
    ...(differences.length > 0 && { differs: true }),
  };
};

/** Everything for which an object that is not suspended would not be Synced: the cloud shows its resource. */
function differencesOf(situation: Situation): readonly string[] {
  const { object, pendingChanges, secret, isAtRest, state = 'none' } = situation;
  const isSecretBehind =
    secret !== undefined && secret.state !== 'current' && secret.state !== 'unread';
  return [
    ...object.problems.map(({ path }) => path),
    ...pendingChanges.map(difference),
    ...(isSecretBehind ? [`Secret "${secret.name}"`] : []),
    ...(isAtRest ? [] : [`state is ${state}`]),
  ];
}

/** Releases a deleted object whose resource stays, or that has none. The release needs no credentials. An object with an open create does, since the create may have made a resource. */
export const releaseRetained: Rule<Situation> = (situation) => {
  const { deletion, attempt, noun, record } = situation;
  if (!deletion.requested || attempt !== undefined) return undefined;
  if (record.id === undefined) return releaseObject(situation, `no ${noun} was created`);
  if (!isRetained(situation)) return undefined;
  const doubt =
    record.deletionStarted?.id === record.id
      ? ', unless an earlier DELETE is still carried out'
      : '';
  return releaseObject(situation, `the ${noun} stays in the cloud${doubt}`);
};

/** Waits until the cloud has proved the key of the object. */
export const awaitCredentials: Rule<Situation> = (situation) => {
  const { account, pinnedProject, deletion } = situation;
  switch (account.state) {
    case 'notAsked':
      return keep(
        wait('WaitingForCredentials', 'the credentials were not asked for', {
          afterMs: intervals.forCredentialsMs,
        }),
      );
    case 'missing': {
      const remedy = deletion.requested
        ? `${keyToDelete(situation)}${orRetain(situation)}`
        : account.remedy;
      return wait('WaitingForCredentials', `${account.problem}: ${remedy}`, {
        afterMs: intervals.forCredentialsMs,
      });
    }
    case 'rejected': {
      const last = lastKey(situation);
      const orLast = last === undefined ? '' : `, or name Secret "${last}" again`;
      return stall('Unauthorized', `${account.message}${orLast}${orRetain(situation)}`);
    }
    case 'unavailable':
      return unreadableCloud(situation, account.error);
    case 'usable':
      if (account.secret?.terminating && pinnedProject === undefined) {
        const message = `Secret "${account.secret.name}" is being deleted: put the key into another Secret, and name that in spec.credentialsRef of all objects`;
        return wait('WaitingForCredentials', message, { afterMs: intervals.forCredentialsMs });
      }
      return undefined;
  }
};

/** The namespace may be terminating, where Kubernetes refuses a new Secret: the advice names an existing Secret. */
function keyToDelete(situation: Situation): string {
  const last = lastKey(situation);
  if (last !== undefined) return `set spec.credentialsRef.name back to "${last}"`;
  const { pinnedProject } = situation;
  const key = pinnedProject === undefined ? 'a key' : `a key of ${pinnedProject}`;
  return `name an existing Secret with ${key} in spec.credentialsRef`;
}

/** The Secret of the last proven key, which the operator still holds, if the spec no longer names that Secret. */
function lastKey({ record, object }: Situation): string | undefined {
  const last = hasResource(record) ? record.credentialsSecret : undefined;
  return last === object.spec.credentialsRef?.name ? undefined : last;
}

/** The key now belongs to another project. A 404 from there would prove nothing, so nothing is called. */
export const refuseForeignProject: Rule<Situation> = (situation) => {
  const { account, pinnedProject, noun } = situation;
  if (account.state !== 'usable' || !pinnedProject || pinnedProject === account.projectId)
    return undefined;
  const problem = `the ${noun} is in project ${pinnedProject}, the credentials are of project ${account.projectId}`;
  const last = lastKey(situation);
  const suchAs = last === undefined ? '' : `, such as Secret "${last}"`;
  return stall(
    'ForeignProject',
    `${problem}: use a key of ${pinnedProject}${suchAs}${orRetain(situation)}`,
  );
};

/** A finalizer holds the credentials Secret before its first use: its key must stay for the deletion of the resources. */
export const holdCredentials: Rule<Situation> = ({ account, deletion }) => {
  if (
    account.state !== 'usable' ||
    !account.secret ||
    account.secret.held ||
    account.secret.terminating ||
    deletion.requested
  )
    return undefined;
  return write(
    { type: 'holdCredentials', secret: account.secret.name },
    `Secret "${account.secret.name}" is held while it is needed`,
  );
};

/** The record with the Secret of this key, which has proved to be of the project. An unproven key, or a Secret without finalizer, changes nothing. */
export function withKeyOf(record: ResourceRecord, account: KeyState): ResourceRecord {
  if (account.state !== 'usable' || account.secret?.held === false) return record;
  const { credentialsSecret: _before, ...rest } = record;
  return account.secret ? { ...rest, credentialsSecret: account.secret.name } : rest;
}

/** Until then, the operator also holds the Secret of the earlier key: the present key could prove unsuitable. */
export const recordCredentials: Rule<Situation> = ({ account, deletion, record }) => {
  const known = withKeyOf(record, account);
  const { credentialsSecret: name } = known;
  if (deletion.requested || !hasResource(record) || name === record.credentialsSecret)
    return undefined;
  const key = name === undefined ? "the operator's own key" : `the key of Secret "${name}"`;
  return write({ type: 'writeRecord', record: known }, `${key} is of the resource's project`);
};

/**
 * Closes an open create once its result is known. Until then it waits, and nothing is created a
 * second time. If several resources may be the result, a user must choose.
 */
export const resolveCreateAttempt: Rule<Situation> = (situation) => {
  const { attempt: observed, object, noun, now } = situation;
  if (!observed) return undefined;
  const name = attemptName(observed.attempt);
  switch (observed.state) {
    case 'unknown':
      return unreadableCloud(situation, observed.error);
    case 'looking': {
      const failed = object.status?.refusal;
      const noAnswer = `it is not known yet whether the request for ${noun} "${name}" reached the cloud: looking for it there; nothing is created twice`;
      // The report of an unclear answer stays until another answer comes.
      const message =
        failed && isReason(failed.waiting, 'ResolvingCreate') ? failed.message : noAnswer;
      return wait('ResolvingCreate', message, { afterMs: Math.max(observed.again - now, 1_000) });
    }
    case 'judged':
      switch (observed.verdict.kind) {
        case 'one':
          return concludeCreate(
            situation,
            observed.verdict.id,
            `the ${noun} "${name}" had been created as ${observed.verdict.id}`,
          );
        case 'ambiguous':
          return ambiguous(situation, observed.verdict.ids);
        case 'none':
          return concludeWithNothing(situation);
      }
  }
};

function concludeCreate(
  { record, now }: Situation,
  id: string,
  message: string,
  outcome?: 'adopted',
): Step {
  return write({ type: 'writeRecord', record: concluded(record, id, now, outcome) }, message);
}

/** A user must choose a candidate, or none. A decision about other candidates does not count. */
function ambiguous(situation: Situation, ids: readonly string[]): Step | undefined {
  const { noun, object, deletion } = situation;
  const { [annotations.externalId]: chosen, [annotations.createAnyway]: others } =
    object.metadata.annotations ?? {};
  const asked = ids.join(',');
  if (others === asked) return concludeWithNothing(situation);
  const isTakable = mayAdopt(situation);
  const isGone = deletion.requested;
  const noneOfThese = `${annotations.createAnyway}=${asked} ${isGone ? 'to leave all' : 'for another'}`;
  if (chosen === undefined || !ids.includes(chosen)) {
    const which = `${listed(ids)} may come from the unanswered create or another creator`;
    const take = `${howToAdopt(isTakable, ids)} to ${isGone ? 'delete' : 'adopt'}`;
    const message = `${which}: ${take}, or ${isTakable ? '' : 'annotate '}${noneOfThese}`;
    return askPerson('AmbiguousCreate', message);
  }
  // The chosen resource may have another creator, so its password stays as it is.
  if (isTakable)
    return concludeCreate(situation, chosen, `the ${noun} ${chosen} was chosen`, 'adopted');
  return stall(
    'NotAllowed',
    `the operator's own key cannot adopt ${annotations.externalId} ${chosen}: set spec.credentialsRef to your own key, or annotate ${noneOfThese}`,
  );
}

/** A resource that was to be replaced still belongs to the object. */
function concludeWithNothing(situation: Situation): Step | undefined {
  const { record, deletion, noun } = situation;
  if (record.id !== undefined) {
    return write(
      { type: 'writeRecord', record: withoutAttempt(record) },
      `no ${noun} took the place of ${record.id}`,
    );
  }
  return deletion.requested ? releaseObject(situation, `no ${noun} was created`) : undefined;
}

/** Deletes the entries of earlier objects. The entry of this object has their passwords. */
export const dropLeftEntries: Rule<Situation> = ({ leftEntries: names }) =>
  names.length === 0
    ? undefined
    : write(
        { type: 'dropEntries', names },
        `ledger entry ${names.join(', ')} of an earlier object is deleted`,
      );

/**
 * The step that lets the object go. An object that is not bound to its resource leaves it as
 * `foreign`.
 * @param isKept whether the resource stays in the cloud
 */
export function releaseObject(
  situation: Situation,
  message: string,
  isKept = isRetained(situation),
): Step {
  const { claim } = situation;
  const isForeign = claim.state !== 'ours';
  return releaseAs(isForeign ? 'foreign' : isKept ? 'retained' : 'gone', situation, message);
}

/** The last words are in the status before the release: a process that dies in the release leaves no outdated status. */
export function releaseAs(fate: Fate, { record, object }: Situation, message: string): Step {
  const { id, projectId } = record;
  const words = lastWords(object, message);
  if (words !== undefined && syncedOf(object)?.message !== words)
    return wait('Deleting', words, { afterMs: intervals.beforeReleaseMs });
  return { type: 'release', message, released: { id, projectId, fate } };
}
