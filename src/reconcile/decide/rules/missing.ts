import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { annotations } from '../../../resources/annotations.ts';
import { typeOf } from '../../../resources/managed-object.ts';
import { externalIdOf, howToAdopt, mayAdopt, ownedByAnother } from '../../situation/neighbours.ts';
import type { Missing, Rule } from '../rule.ts';
import type { Leftover, Situation } from '../../situation/situation.ts';
import {
  write,
  askPerson,
  stall,
  wait,
  type CreateAction,
  type Creation,
} from '../../step/step.ts';
import { cutToFit, listed } from '../../step/short-message.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { withoutAttempt } from '../../ledger/record.ts';
import { hasReason, isReason, syncedOf } from '../../../resources/condition.ts';
import { isObserved, observingSetting } from '../../situation/options.ts';
import { mayBeReplaced } from '../../situation/history.ts';
import { nextCreateInMs } from '../../step/create-backoff.ts';
import { intervals } from '../../step/intervals.ts';
import { withKeyOf } from './always.ts';

/**
 * Reports a resource that the record knows and the cloud does not show. It never creates a
 * resource in its place without a user's permission. Undefined if nothing was created, or if a
 * user allowed a replacement of the lost resource.
 */
export const reportLost: Rule<Missing> = (situation) => {
  const { id, cloud, noun, object, now, options, list } = situation;
  if (id === undefined) return undefined;
  switch (cloud.state) {
    case 'absent': {
      if (mayBeReplaced(object, id)) return undefined;
      // The list of a child kind shows a single parent, so an empty list casts no doubt on the project.
      const isEmpty = typeOf(object).parent === undefined && list?.isEmpty === true;
      const doubt = isEmpty
        ? `, as are all ${noun}s: check API key, project and cloud URL, or`
        : ':';
      const gone = `${noun} ${id} is gone from the cloud (404)${doubt} restore it there, or delete this object`;
      const isSet = object.metadata.annotations?.[annotations.allowRecreate] !== undefined;
      const recreate = `, or ${isSet ? 'correct the annotation to' : 'annotate'} ${annotations.allowRecreate}=${id} for an empty ${noun}`;
      return stall('Lost', isObserved(object, options) ? gone : gone + recreate);
    }
    case 'missing':
      // After a restart, the absence must be proven again. No visit has found the resource meanwhile.
      if (hasReason(object, 'Lost') && object.status?.id === id)
        return stall('Lost', syncedOf(object)?.message ?? '', Math.max(cloud.again - now, 0));
      return wait('WaitingForCloud', `the cloud does not show ${noun} ${id} yet`, {
        afterMs: Math.max(cloud.again - now, 0),
      });
    case 'unknown':
    case 'none':
      return unreadableCloud(situation, cloud.state === 'unknown' ? cloud.error : undefined);
    case 'present':
      return undefined;
  }
};

/** Adopts the resource that a user names. It is read first, and adoption changes nothing of it, least of all its password. */
export function adoptNamed<S extends Situation>(
  recordOf: (situation: S) => Partial<ResourceRecord>,
): Rule<Missing<S>> {
  return (situation) => {
    const { adoption, noun, object, key, account } = situation;
    if (object.metadata.annotations?.[annotations.externalId] === '') {
      const advice = `name the id of the ${noun}, or remove the annotation for a new ${noun}`;
      return askPerson('AdoptionFailed', `${annotations.externalId} is empty: ${advice}`);
    }
    if (adoption.state === 'notAsked') return undefined;
    const { id } = adoption;
    const { projectId } = key;
    const thing = `${noun} ${id}`;
    switch (adoption.state) {
      case 'notAllowed':
        return stall(
          'NotAllowed',
          `managed-db.io/external-id ${id} may be anything in the operator's project: set spec.credentialsRef to a key of your own`,
        );
      case 'unknown':
        return unreadableCloud(situation, adoption.error);
      case 'owned':
        return ownedByAnother(thing, object, adoption.owner);
      case 'notFound': {
        const problem = `there is no ${thing} in project ${projectId}, or it is being deleted`;
        return askPerson(
          'AdoptionFailed',
          `${problem}: correct managed-db.io/external-id, or the credentials`,
        );
      }
      case 'mismatch': {
        const problem = `${thing} is not as the spec says, and cannot be changed: `;
        const advice = '; correct the spec, or managed-db.io/external-id';
        return askPerson(
          'AdoptionFailed',
          problem + cutToFit(adoption.mismatch, problem + advice) + advice,
        );
      }
      case 'found': {
        const adopted: ResourceRecord = {
          id,
          outcome: 'adopted',
          projectId,
          ...recordOf(situation),
        };
        const record = withKeyOf(adopted, account);
        return write({ type: 'adopt', noun, id, record }, `taking over ${thing}`, 'Adopting');
      }
    }
  };
}

/** A user must decide, since a second, empty database would be a surprise. */
export const askAboutLeftovers: Rule<Missing> = ({ leftovers = [], object, noun, options }) => {
  const declined = object.metadata.annotations?.[annotations.createAnyway]?.split(',') ?? [];
  const undecided = leftovers.filter(({ id }) => !declined.includes(id));
  const [left] = undecided;
  if (left === undefined) return undefined;
  const create = `${annotations.createAnyway}=${leftovers.map((each) => each.id).join(',')}`;
  const orCreate = isObserved(object, options) ? '' : `, or ${create} to create another`;
  const message =
    undecided.length > 1 && undecided.every(({ asked }) => asked === undefined)
      ? leftTexts(undecided, noun)
      : leftText(left, noun);
  return askPerson('NotBound', message + orCreate);
};

/** The question about a single resource, or about a create without an answer. */
function leftText({ id, asked }: Leftover, noun: string): string {
  const idToAdopt = externalIdOf(asked === undefined ? [id] : []);
  const what = asked === undefined ? `left ${noun} ${id}` : `may have created ${noun} "${asked}"`;
  return `an earlier object ${what}: annotate ${idToAdopt} to adopt it`;
}

/** A user chooses between several: the operator cannot know which data the object needs. */
function leftTexts(leftovers: readonly Leftover[], noun: string): string {
  const ids = listed(leftovers.map(({ id }) => id));
  return `earlier objects left ${noun}s ${ids}, the latest first: annotate ${externalIdOf([])} to adopt`;
}

/** An object that only observes creates nothing: a user must name the resource. */
export const nothingToObserve: Rule<Missing> = (situation) => {
  const { object, noun, options } = situation;
  if (!isObserved(object, options)) return undefined;
  const otherwise =
    options.managementPolicy === 'Observe' ? '' : ', or set spec.managementPolicy to Manage';
  const key = mayAdopt(situation) ? '' : 'set spec.credentialsRef and ';
  return stall(
    'AdoptionFailed',
    `${observingSetting(options)} and there is no ${noun} to observe: ${key}annotate ${externalIdOf([])} to name it${otherwise}`,
  );
};

/** A create that was refused, or had no result after an unclear answer, is retried later; at once when the spec changes. */
export const backOffAfterFailedCreate: Rule<Missing> = ({ object, createFailedAt, now, list }) => {
  const failed = object.status?.refusal;
  if (!failed || createFailedAt === undefined) return undefined;
  // Without a generation, no create skips its back-off.
  if (failed.generation !== undefined && failed.generation !== object.metadata.generation)
    return undefined;
  // A list since then shows that the cloud can be reached again. The visits until then cost the cloud nothing.
  const isUnreached = isReason(failed.waiting, 'CloudUnavailable');
  const isBack = isUnreached && (list?.begunAt ?? 0) > createFailedAt;
  const again = createFailedAt + nextCreateInMs(isBack ? { ...failed, failures: 1 } : failed);
  if (now >= again) return undefined;
  const afterMs = isUnreached ? Math.min(again - now, intervals.forCloudMs) : again - now;
  return failed.stalled
    ? stall(failed.stalled, failed.message, again - now)
    : wait(failed.waiting ?? 'WaitingForCloud', failed.message, { afterMs });
};

/** A name that the user chose may belong to an existing resource, perhaps the intended resource. So a user must decide. */
export const nameIsTaken: Rule<Missing> = (situation) => {
  const { sameNames, object, record, noun } = situation;
  if (sameNames.state === 'unknown') {
    const lack = sameNames.missing ? `, which lacks ${listed(sameNames.missing)},` : '';
    return unreadableCloud(situation, sameNames.error, `the whole list of ${noun}s${lack}`);
  }
  // Resources from before an earlier attempt were decided upon then.
  const unclaimed = sameNames.unclaimed.filter(
    (id) => record.attempt?.sameNameIds.includes(id) !== true,
  );
  const said = object.metadata.annotations?.[annotations.createAnyway];
  const isAnswered = said === 'true' || unclaimed.every((id) => said?.split(',').includes(id));
  if (unclaimed.length === 0 || isAnswered) return undefined;
  const found = `${noun} "${object.spec.name}" exists (${listed(unclaimed)})`;
  const way = mayAdopt(situation) ? externalIdOf(unclaimed) : howToAdopt(false, unclaimed);
  const message = `${found}: choose another spec.name, or annotate ${annotations.createAnyway}=true or ${way} to adopt`;
  return askPerson('SameNameExists', message);
};

/**
 * The record keeps its knowledge of a lost resource until the new resource has replaced it, so a failed create needs no undo.
 * @param parts written into the record together with the attempt
 */
export function createAction(
  { object, record, sameNames, account }: Missing,
  creation: Creation,
  parts: Partial<ResourceRecord>,
  recordOnSuccess: Partial<ResourceRecord> = {},
): CreateAction {
  const { spec, metadata } = object;
  // Resources from before an earlier attempt are not results of this attempt either.
  const earlier = record.attempt?.sameNameIds ?? [];
  return {
    type: 'create',
    creation,
    name:
      spec.name === undefined
        ? { kind: 'ours', prefix: metadata.name }
        : { kind: 'given', name: spec.name },
    sameNameIds: [...new Set([...earlier, ...(sameNames.state === 'read' ? sameNames.ids : [])])],
    record: withKeyOf({ ...withoutAttempt(record), ...parts }, account),
    recordOnSuccess,
  };
}
