import type { Deleting, Rule, Unheld } from '../rule.ts';
import { deletionPolicyOf, isRetained } from '../../situation/options.ts';
import { effectWithinMs, isAbsenceUnsure, isAwaitingEffect, isDeleteAnswered } from '../../situation/last-operation.ts';
import type { Situation } from '../../situation/situation.ts';
import { call, keep, stall, wait, type Fate, type Stall, type Step } from '../../step/step.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { intervals, longestRetryMs } from '../../step/intervals.ts';
import { refusalKey } from '../../step/outcome.ts';
import { backOffMs } from '../../../runtime/index.ts';
import { refusedEarlier, withNextVisitIn } from '../pending-change.ts';
import type { ResourceRecord } from '../../record/record.ts';
import type { CloudDeletion, DeleteAction } from '../../step/action.ts';

/**
 * An object with a retained resource, or without a resource, needs no credentials for its release. An object
 * with an open create does, since the create may have made a resource.
 */
export const releaseRetained: Rule<Situation> = (situation) => {
  const { deletion, identity, attempt, noun, record } = situation;
  if (!deletion.requested || attempt !== undefined) return undefined;
  if (identity.state === 'none') return release(situation, `no ${noun} was created`);
  if (!isRetained(situation)) return undefined;
  return release(situation, record.deletionStarted?.id === identity.id ? fateAfterDelete(situation) : `the ${noun} stays in the cloud`);
};

/** The fate of a retained resource after a DELETE that may have been sent. */
function fateAfterDelete({ cloud, list, noun }: Situation): string {
  const isShown = cloud.state === 'present';
  const isUnread = cloud.state === 'none' || (cloud.state === 'unknown' && cloud.error?.kind !== 'notFound');
  if (isUnread || (isShown && list?.isLeaving(cloud.resource) !== true))
    return `the ${noun} stays in the cloud, unless an earlier DELETE is still carried out`;
  return `the cloud ${isShown ? 'is deleting' : 'does not show'} the ${noun}, after a DELETE without an answer that came before Retain`;
}

/** The cloud is deleting the resource, also at another client's request: no DELETE follows. */
export function awaitDeletion(states: readonly string[]): Rule<Deleting> {
  return (situation) => {
    const { state = '', lastOperation: last, now } = situation;
    if (!states.includes(state)) return undefined;
    return wait('Deleting', describeDeletion(situation), { inProgressSince: last?.operation === 'delete' ? last.at : now });
  };
}

function describeDeletion({ deletion, object, options, noun, id }: Deleting): string {
  const isTooLate = deletion.started && deletionPolicyOf(object, options) === 'Retain';
  const late = isTooLate ? '; that had begun before spec.deletionPolicy became Retain' : '';
  return `the cloud is deleting the ${noun} ${id}${late}`;
}

export type DeletionOf<S> = (situation: S) => CloudDeletion;

/** Sends the DELETE until the cloud answers it, then waits until the cloud has finished. */
export function remove<S extends Unheld>(deletionOf: DeletionOf<S>): Rule<S> {
  return (situation) => {
    const { deletion, cloud, id, noun, now, lastOperation: last } = situation;
    if (cloud.state === 'absent' && isAbsenceUnsure(id, deletion.started, last)) return removeUnshown(situation, deletionOf, `the ${noun}`);
    if (cloud.state !== 'present') return undefined;
    const message = describeDeletion(situation);
    if (last && isAwaitingEffect(last, 'delete', id, cloud.asOf)) {
      // Lists may show the resource unchanged, which wakes no object.
      return wait('Deleting', message, {
        inProgressSince: last.at,
        afterMs: Math.max(last.at + effectWithinMs - now, intervals.forEffectMs),
      });
    }
    const refused = refusedEarlier(situation, 'delete', id);
    if (refused) return withNextVisitIn(refused.step, refused.blockedForMs);
    const inVain = deletedInVain(situation, 'delete', id, `the ${noun} ${id}`);
    return call({ ...deleteAction(situation, deletionOf), inVain }, { reason: 'Deleting', message });
  };
}

/**
 * Confirms, with a DELETE, the absence of a resource that the cloud no longer shows. Until a DELETE is
 * answered, Retain releases the object without that, even after the deletion has begun: the way out where the
 * cloud keeps refusing the DELETE.
 */
export function removeUnshown<S extends Unheld>(situation: S, deletionOf: DeletionOf<S>, thing: string): Step {
  const { deletion, object, options, id, noun, lastOperation } = situation;
  if (deletion.started && deletionPolicyOf(object, options) === 'Retain' && !isDeleteAnswered(lastOperation, id)) {
    const message = `the ${noun} stays by spec.deletionPolicy, unless an earlier DELETE still takes effect`;
    return release(situation, message, true);
  }
  return call(deleteAction(situation, deletionOf), { reason: 'Deleting', message: `making sure that ${thing} is gone from the cloud` });
}

/**
 * The report of a DELETE that is sent again, since the earlier DELETE had no effect. Undefined without an
 * earlier DELETE. The pauses grow from 30 s to 5 min.
 */
export function deletedInVain(
  { lastOperation: last, refusals, state }: Pick<Situation, 'lastOperation' | 'refusals' | 'state'>,
  operation: 'delete' | 'deletePeering',
  id: string,
  thing: string,
): Stall | undefined {
  if (!isDeleteAnswered(last, id, operation)) return undefined;
  const at = new Date(last.at).toISOString();
  const times = refusals.get(refusalKey(operation, id))?.times ?? 0;
  return stall(
    'NotApplied',
    `the cloud still shows ${thing}${state === undefined ? '' : ` (${state})`}, which it was asked to delete at ${at}: delete it there, or ask the cloud's support; the operator retries`,
    { retryAfterMs: backOffMs(times, { firstMs: effectWithinMs, longestMs: longestRetryMs }, 0) },
  );
}

function whyUnsure({ isNew, word }: Extract<Situation['cloud'], { state: 'missing' }>): string {
  if (word !== undefined) return `, which calls it ${word}`;
  return isNew ? ': it may be too new for the lists, so the operator looks for two minutes' : '';
}

/** The object is released only when the absence of the resource is proven. */
export const confirmGone: Rule<Deleting> = (situation) => {
  const { cloud, noun, now } = situation;
  switch (cloud.state) {
    case 'absent':
      return release(situation, `the ${noun} is gone from the cloud`);
    case 'missing':
      return wait('Deleting', `making sure that the ${noun} is gone from the cloud${whyUnsure(cloud)}`, {
        afterMs: Math.max(cloud.again - now, 0),
      });
    case 'present':
      return keep(wait('Deleting', `the ${noun} is still there`));
    case 'unknown':
    case 'none':
      return unreadableCloud(situation, cloud.state === 'unknown' ? cloud.error : undefined);
  }
};

/** The decision is recorded first, unless the record has it already. */
function deleteAction<S extends Unheld>(situation: S, deletionOf: DeletionOf<S>): DeleteAction {
  const { id, cloud } = situation;
  const record = situation.deletion.started ? undefined : deletionRecord(situation, id);
  const isCalledDeleted = cloud.state === 'absent' && cloud.word !== undefined;
  return { type: 'delete', id, record, isUnshown: cloud.state !== 'present', isCalledDeleted, ...deletionOf(situation) };
}

export function deletionRecord({ record, object }: Pick<Unheld, 'record' | 'object'>, id: string): ResourceRecord {
  return { ...record, deletionStarted: { id, generation: object.metadata.generation } };
}

/** @param isKept whether the resource stays in the cloud */
export function release(situation: Situation, message: string, isKept = isRetained(situation)): Step {
  const { claim } = situation;
  const isForeign = claim.state !== 'ours';
  return releaseAs(isForeign ? 'foreign' : isKept ? 'retained' : 'gone', situation, message);
}

export function releaseAs(fate: Fate, { identity, record }: Situation, message: string): Step {
  const id = identity.state === 'known' ? identity.id : undefined;
  return { type: 'release', message, released: { id, projectId: record.projectId, fate } };
}
