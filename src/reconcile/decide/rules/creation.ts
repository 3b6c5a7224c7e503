import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { withoutAttempt, concluded } from '../../record/record.ts';
import { annotations } from '../../../resources/annotations.ts';
import { syncedOf } from '../../../resources/condition.ts';
import { isObserved } from '../../situation/options.ts';
import { mayBeReplaced, questionOf } from '../../situation/last-operation.ts';
import type { Missing, Rule } from '../rule.ts';
import { type CreateAction, type Creation, stall, wait, write, type Step } from '../../step/step.ts';
import { nextCreateInMs } from '../../step/outcome.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { attemptName } from '../../record/attempt.ts';
import { release } from './deletion.ts';
import { howToAdopt, mayAdopt } from '../../situation/neighbours.ts';
import type { Situation } from '../../situation/situation.ts';
import { intervals } from '../../step/intervals.ts';
import { listed } from '../../step/short-message.ts';

/** A resource that another client deleted is reported, and recreated only when a user allows it. */
export const reportLost: Rule<Missing> = (situation) => {
  const { id, cloud, noun, object, now, options, list } = situation;
  if (id === undefined) return undefined;
  const told = syncedOf(object);
  switch (cloud.state) {
    case 'absent': {
      if (mayBeReplaced(object, id)) return undefined;
      const isEmpty = object.kind !== 'ReplicaSet' && list?.latest?.items.size === 0;
      const doubt = isEmpty ? ', as are all others: check API key, project and cloud URL, or' : ':';
      const gone = `${noun} ${id} is gone from the cloud (${cloud.word ?? '404'})${doubt} restore it there, or delete this object`;
      const isSet = object.metadata.annotations?.[annotations.allowRecreate] !== undefined;
      const recreate = `, or ${isSet ? 'correct the annotation to' : 'annotate'} ${annotations.allowRecreate}=${id} for an empty one`;
      // An observer creates nothing.
      return stall('Lost', isObserved(object, options) ? gone : gone + recreate);
    }
    case 'missing':
      // After a restart, the absence must be proven again. No visit has found the resource meanwhile.
      if (told?.reason === 'Lost' && object.status?.id === id)
        return stall('Lost', told.message, { retryAfterMs: Math.max(cloud.again - now, 0) });
      return wait(
        'WaitingForCloud',
        `the cloud ${cloud.word ? `calls ${noun} ${id} ${cloud.word}: making sure` : `does not show ${noun} ${id} yet`}`,
        {
          afterMs: Math.max(cloud.again - now, 0),
        },
      );
    case 'unknown':
    case 'none':
      return unreadableCloud(situation, cloud.state === 'unknown' ? cloud.error : undefined);
    case 'present':
      return undefined;
  }
};

/** A create that was refused, or had no result after an unclear answer, is retried later; at once when spec or key change. */
export const backOffAfterFailedCreate: Rule<Missing> = (situation) => {
  const { object, createFailedAt, now } = situation;
  const failed = object.status?.refusal;
  const { generation, credentialsVersion } = questionOf(situation);
  if (!failed || createFailedAt === undefined) return undefined;
  // An older CRD may have dropped the question of the failed create. Its answer counts for this question: no
  // create skips its back-off.
  const isAnswer =
    failed.generation === undefined || (failed.generation === generation && failed.credentialsVersion === credentialsVersion);
  if (!isAnswer) return undefined;
  const again = createFailedAt + nextCreateInMs(failed);
  if (now >= again) return undefined;
  return failed.stalled
    ? stall(failed.stalled, failed.message, { retryAfterMs: again - now })
    : wait(failed.waiting ?? 'WaitingForCloud', failed.message, { afterMs: again - now });
};

/**
 * The action of a create, for all kinds. The record keeps its knowledge of a lost resource until the new
 * resource has replaced it, so a failed create needs no undo.
 * @param parts written into the record together with the attempt
 */
export function createAction(
  { object, record, sameNames }: Missing,
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
    name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
    sameNameIds: [...new Set([...earlier, ...(sameNames.state === 'read' ? sameNames.ids : [])])],
    record: { ...withoutAttempt(record), ...parts },
    recordOnSuccess,
  };
}

/** A create without an answer is resolved before anything is changed, deleted or released. */
export const resolveCreateAttempt: Rule<Situation> = (situation) => {
  const { attempt: observed, noun, now } = situation;
  if (!observed) return undefined;
  const name = attemptName(observed.attempt);
  switch (observed.state) {
    case 'unknown':
      return unreadableCloud(situation, observed.error);
    case 'looking':
      return wait('ResolvingCreate', unclearAnswer(situation) ?? noAnswer(noun, name), { afterMs: Math.max(observed.again - now, 1_000) });
    case 'judged':
      switch (observed.verdict.kind) {
        case 'one':
          return conclude(situation, observed.verdict.id, `the ${noun} "${name}" had been created as ${observed.verdict.id}`);
        case 'ambiguous':
          return ambiguous(situation, observed.verdict.ids);
        case 'none':
          return concludeWithNothing(situation);
      }
  }
};

/** The report of the last answer, if it was unclear. It stays until another answer comes. */
function unclearAnswer({ object }: Situation): string | undefined {
  const failed = object.status?.refusal;
  return failed?.waiting === 'ResolvingCreate' ? failed.message : undefined;
}

function noAnswer(noun: string, name: string): string {
  return `it is not known yet whether the request for ${noun} "${name}" reached the cloud: looking for it there; nothing is created twice`;
}

function conclude({ record, now }: Situation, id: string, message: string, outcome?: 'adopted'): Step {
  return write({ type: 'writeRecord', record: concluded(record, id, now, outcome) }, message);
}

/** A user must choose a candidate, or none. A decision about other candidates does not count. */
function ambiguous(situation: Situation, ids: readonly string[]): Step | undefined {
  const { noun, object, deletion } = situation;
  const { [annotations.externalId]: chosen, [annotations.createAnyway]: others } = object.metadata.annotations ?? {};
  const asked = ids.join(',');
  if (others === asked) return concludeWithNothing(situation);
  const isTakable = mayAdopt(situation);
  const isGone = deletion.requested;
  const noneOfThese = `${annotations.createAnyway}=${asked} ${isGone ? 'to leave all' : 'for another'}`;
  if (chosen === undefined || !ids.includes(chosen)) {
    const which = `${listed(ids)} may come from the unanswered create or another creator`;
    const take = `${howToAdopt(isTakable, ids)} to ${isGone ? 'delete' : 'adopt'}`;
    const message = `${which}: ${take}, or ${isTakable ? '' : 'annotate '}${noneOfThese}`;
    return stall('AmbiguousCreate', message, { retryAfterMs: intervals.forPersonMs });
  }
  // The chosen resource may have another creator, so its password stays as it is.
  if (isTakable) return conclude(situation, chosen, `the ${noun} ${chosen} was chosen`, 'adopted');
  return stall(
    'NotAllowed',
    `the operator's own key cannot adopt ${annotations.externalId} ${chosen}: set spec.credentialsRef to your own key, or annotate ${noneOfThese}`,
  );
}

/**
 * The attempt created nothing. A deleted object is released; otherwise `create` begins another attempt. A
 * resource that was to be replaced still belongs to the object.
 */
function concludeWithNothing(situation: Situation): Step | undefined {
  const { record, deletion, noun } = situation;
  if (record.id !== undefined) {
    return write({ type: 'writeRecord', record: withoutAttempt(record) }, `no ${noun} took the place of ${record.id}`);
  }
  return deletion.requested ? release(situation, `no ${noun} was created`) : undefined;
}
