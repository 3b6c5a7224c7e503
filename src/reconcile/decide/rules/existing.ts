import { annotationKey, annotations, approvalPrefix } from '../../../resources/annotations.ts';
import type { Rule, Existing } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { intervals } from '../../step/intervals.ts';
import { stall, wait, write } from '../../step/step.ts';
import { listed } from '../../step/short-message.ts';
import { printable } from '../../../logging/printable.ts';
import { difference, withDifferences } from '../pending-change.ts';
import { lacksEndpoint, secretVersionIn } from '../../connection/projection.ts';
import { usedApprovals } from '../gate.ts';
import { isObserved, observingSetting } from '../../situation/options.ts';
import { unreadable } from './always.ts';

/** A spec that was stored under an older schema may be unreadable: nothing is created or changed from it. */
export const rejectSpec: Rule<Situation> = ({ object }) => {
  const [first, ...others] = object.problems;
  if (!first) return undefined;
  const more = others.length === 0 ? '' : ` (also ${listed(others.map(({ path }) => path))})`;
  return stall(
    'Rejected',
    unreadable(first, `${more}: correct it; until then the operator changes nothing`),
  );
};

/**
 * Reports the differences of a resource that the operator only observes. It ends the list: nothing
 * is changed.
 */
export const observeOnly: Rule<Existing> = ({ object, noun, options, pendingChanges }) => {
  if (!isObserved(object, options)) return undefined;
  const differences = pendingChanges.map(difference);
  const why = options.managementPolicy === 'Observe' ? `: ${observingSetting(options)}` : '';
  const message = `the ${noun} is observed and never changed${why}`;
  return {
    type: 'done',
    reason: 'Observed',
    message: printable(withDifferences(message, differences)),
    ...(differences.length > 0 && { differs: true }),
  };
};

/** An approval counts for a single request: drift of tomorrow asks again. A person removes an approval that nothing used. */
export const dropUsedApprovals: Rule<Existing> = (situation) => {
  const names = usedApprovals(situation);
  if (names.length === 0) return undefined;
  const operations = names.map((name) => name.slice(approvalPrefix.length));
  const message = `the approval of ${listed(operations)} is used`;
  return write({ type: 'dropAnnotations', names }, message);
};

/**
 * The permission for a recreation counts for a single loss: the next loss asks again. It must not get into a backup either.
 * A permission that stands again after its removal stays: a GitOps tool writes it after each removal.
 */
export const dropUsedPermission: Rule<Existing> = ({ object, noun, removedAnnotations }) => {
  const name = annotations.allowRecreate;
  const id = object.metadata.annotations?.[name];
  if (id === undefined || removedAnnotations?.has(annotationKey(name, id)) === true)
    return undefined;
  const message = `the ${noun} exists: ${name} is not needed any more`;
  return write({ type: 'dropAnnotations', names: [name] }, message);
};

/** Apps keep working while the cloud is at work: an existing connection Secret is restored before any other work. */
export const restoreConnection: Rule<Existing> = (situation) => {
  const { secret, object } = situation;
  if (secret === undefined || !('wanted' in secret) || secret.state === 'current') return undefined;
  if (lacksEndpoint(secret)) return undefined;
  const isEdited = secret.state === 'outdated' && (secret.isEdited || secret.hasOldPassword);
  const isDeleted = secret.state === 'absent' && secretVersionIn(object) !== undefined;
  return isEdited || isDeleted ? keepConnection(situation) : undefined;
};

/**
 * Writes the connection Secret if it is missing or out of date, and reports a Secret that the
 * operator cannot write. While the endpoint is not known, the Secret stays as it is: it may have an earlier endpoint.
 */
export const keepConnection: Rule<Existing> = ({ secret }) => {
  if (secret?.state !== 'unusable' && lacksEndpoint(secret)) return undefined;
  switch (secret?.state) {
    case 'absent':
      return write(
        { type: 'storeConnection', write: secret.wanted, isEdited: false },
        `Secret "${secret.name}" is missing or lost its label`,
      );
    case 'outdated':
      return write(
        { type: 'storeConnection', write: secret.wanted, isEdited: secret.isEdited },
        `Secret "${secret.name}" ${secret.isEdited ? 'was edited and is restored' : 'is brought up to date'}`,
      );
    case 'unusable':
      return secret.why;
    case 'current':
    case 'unread':
    case undefined:
      return undefined;
  }
};

/** After a rename in the spec, the Secret of the new name is complete before the old Secret is deleted: apps can change over. */
export const dropOldConnections: Rule<Existing> = ({ secret }) => {
  if (secret?.state !== 'current' || secret.others.length === 0 || lacksEndpoint(secret))
    return undefined;
  const message = `Secret "${secret.others.join('", "')}" is replaced by "${secret.name}"`;
  return write({ type: 'dropConnections', write: secret.wanted, names: secret.others }, message);
};

/** Waits for the endpoint, without which the connection Secret is not complete. */
export const awaitEndpoint: Rule<Existing> = ({ secret, noun }) =>
  lacksEndpoint(secret)
    ? wait('WaitingForCloud', `the cloud has not named the endpoint of the ${noun} yet`, {
        afterMs: intervals.forProgressMs,
      })
    : undefined;
