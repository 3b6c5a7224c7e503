import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import type { Rule, Deleting } from '../rule.ts';
import type { Situation, Dependent } from '../../situation/situation.ts';
import {
  call,
  askPerson,
  stall,
  wait,
  type Step,
  keep,
  type Stall,
  type CloudDeletion,
  type DeleteAction,
} from '../../step/step.ts';
import { listed } from '../../step/short-message.ts';
import { intervals, longestRetryMs } from '../../step/intervals.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { orRetain } from '../or-retain.ts';
import { CloudError } from '../../../cloud/cloud-error.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';
import { parseKey, backOffMs } from '../../../runtime/index.ts';
import { isInSameNamespace } from '../../situation/neighbours.ts';
import { isProtected, deletionPolicyOf, isRetained } from '../../situation/options.ts';
import {
  effectWithinMs,
  isAbsenceUnsure,
  isAwaitingEffect,
  isDeleteAnswered,
} from '../../situation/history.ts';
import { refusalKey } from '../../step/outcome.ts';
import { refusedEarlier, withNextVisitIn } from '../pending-change.ts';
import { releaseObject } from './always.ts';
import { shownAs } from '../../ledger/record.ts';

/** Once the cloud has accepted a DELETE, `Retain` changes nothing: a user who set it must know. */
function deletionMessage(
  { object, options, noun }: Pick<Situation, 'object' | 'options' | 'noun'>,
  id: string,
): string {
  const isTooLate = deletionPolicyOf(object, options) === 'Retain';
  return `the cloud is deleting the ${noun} ${id}${isTooLate ? ': Retain came too late' : ''}`;
}

/** The cloud is deleting the resource, also at another client's request: no DELETE follows. */
export function awaitDeletion(states: readonly string[]): Rule<Deleting> {
  return (situation) => {
    const { state = '', id, lastOperation: last, now } = situation;
    if (!states.includes(state)) return undefined;
    return wait('Deleting', deletionMessage(situation, id), {
      inProgressSince: last?.operation === 'delete' ? last.at : now,
    });
  };
}

/**
 * The cloud carries out a DELETE that an earlier process sent, and Retain came too late: the object waits for the proof. No
 * DELETE follows: if the resource stays after all, it is retained.
 * @param states the states in which the cloud deletes a resource of the kind, as its `OwnRules.deleting` lists them;
 *   empty for a kind without states, to which the rule never applies
 */
export function awaitEarlierDelete(states: readonly string[]): Rule<Situation> {
  return (situation) => {
    const { deletion, record, attempt, cloud, object } = situation;
    const { id, isShared } = record;
    const isDecided = deletion.requested && record.deletionStarted?.id === id;
    if (id === undefined || !isDecided || attempt || isShared || !isRetained(situation))
      return undefined;
    const shown = cloud.state === 'present' ? situation.state : object.status?.state;
    if (shown === undefined || !states.includes(shown)) return undefined;
    return cloud.state === 'present'
      ? wait('Deleting', deletionMessage(situation, id))
      : releaseOnceGone(situation, false);
  };
}

/** A deletion that has begun continues. */
export const holdDeletion: Rule<Deleting> = (situation) => {
  const { deletion, object, noun, environment, rules } = situation;
  if (deletion.started) return undefined;
  if (deletion.crdTerminating) {
    const problem = `the CustomResourceDefinition of ${object.kind} is being deleted, so the ${noun} is not`;
    return askPerson(
      'DeletionBlocked',
      `${problem}: set spec.deletionPolicy to Retain to drop only this object`,
    );
  }
  if (!isProtected(object, environment, rules)) return undefined;
  const why =
    object.spec.deletionProtection === undefined
      ? `because its ${environment === 'PROD' ? 'environment is PROD' : 'Namespace requires approvals'}`
      : 'by spec.deletionProtection';
  const ways =
    'set spec.deletionProtection to false to delete it, or spec.deletionPolicy to Retain to keep it; this object goes in both cases';
  return askPerson('DeletionProtected', `the ${noun} is protected ${why}: ${ways}`);
};

/** Resources in the cloud hold this deletion back, and objects that are yet to copy the resource, but no object that merely refers to it. */
export const awaitDependents: Rule<Deleting> = (situation) => {
  const { noun, object } = situation;
  const { dependents } = situation.deletion;
  if (!dependents)
    return wait(
      'Deleting',
      `the operator proves that nothing depends on the ${noun}: the cloud's lists are incomplete`,
      {
        afterMs: intervals.forCloudMs,
      },
    );
  if (dependents instanceof CloudError)
    return unreadableCloud(
      situation,
      dependents,
      `what depends on the ${noun}`,
      orRetain(situation),
    );
  if (dependents.length === 0) return undefined;
  const [{ remedy = dependents.length === 1 ? 'delete it' : 'delete them' } = {}] = dependents;
  const held = `deletion waits for ${describe(dependents, object)}`;
  if (dependents.every(({ endsByItself }) => endsByItself))
    return wait('Deleting', `${held}; the operator continues by itself`, {
      afterMs: intervals.forPersonMs,
    });
  return askPerson('DeletionBlocked', `${held}; ${remedy}${orRetain(situation)}`);
};

function describe(dependents: readonly Dependent[], object: ManagedObject): string {
  const kinds = [...Map.groupBy(dependents, ({ noun }) => noun)].map(
    ([noun, { length }]) => `${length} ${noun}${length === 1 ? '' : 's'}`,
  );
  const names = dependents.map(({ owner, id }) => {
    if (!owner) return `${id} (no object)`;
    return isInSameNamespace(object, owner) ? parseKey(owner.key).name : "another namespace's";
  });
  return `${kinds.join(' and ')}: ${listed(names)}`;
}

/** The call that deletes a resource of a kind, with its ids. */
export type DeletionOf<S> = (situation: S) => CloudDeletion;

/**
 * Sends the DELETE of the resource, and repeats it when an accepted DELETE shows no effect. A
 * DELETE also confirms an absence that only lists have shown.
 */
export function sendDelete<S extends Deleting>(deletionOf: DeletionOf<S>): Rule<S> {
  return (situation) => {
    const { deletion, cloud, id, noun, now, lastOperation: last } = situation;
    if (cloud.state === 'absent' && isAbsenceUnsure(id, deletion.started, last))
      return removeUnshown(situation, deletionOf, `the ${noun}`);
    if (cloud.state !== 'present') return undefined;
    const message = deletionMessage(situation, id);
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
    return call(
      { ...deleteAction(situation, deletionOf), inVain },
      { reason: 'Deleting', message },
    );
  };
}

/**
 * Confirms, with a DELETE, the absence of a resource that the cloud no longer shows. Retain is the way out where
 * the cloud keeps refusing the DELETE.
 */
export function removeUnshown<S extends Deleting>(
  situation: S,
  deletionOf: DeletionOf<S>,
  thing: string,
): Step {
  const { deletion, object, options, id, noun, lastOperation } = situation;
  if (
    deletion.started &&
    deletionPolicyOf(object, options) === 'Retain' &&
    !isDeleteAnswered(lastOperation, id)
  ) {
    const message = `the ${noun} stays by spec.deletionPolicy, unless an earlier DELETE still takes effect`;
    return releaseObject(situation, message, true);
  }
  return call(deleteAction(situation, deletionOf), {
    reason: 'Deleting',
    message: `making sure that ${thing} is gone from the cloud`,
  });
}

/** The report of a DELETE that is sent again, since the earlier DELETE had no effect. Undefined without an earlier DELETE. */
export function deletedInVain(
  { lastOperation: last, refusals, state }: Pick<Situation, 'lastOperation' | 'refusals' | 'state'>,
  operation: 'delete' | 'deletePeering',
  id: string,
  thing: string,
): Stall | undefined {
  if (!isDeleteAnswered(last, id, operation)) return undefined;
  const at = new Date(last.at).toISOString();
  const times = refusals.get(refusalKey(operation, id))?.times ?? 0;
  const problem = `the cloud still shows ${thing}${state === undefined ? '' : ` (${state})`}, which it was asked to delete at ${at}`;
  const message = `${problem}: delete it there, or ask the cloud's support; the operator retries`;
  return stall(
    'NotApplied',
    message,
    backOffMs(times, { firstMs: effectWithinMs, longestMs: longestRetryMs }, 0),
  );
}

function deleteAction<S extends Deleting>(situation: S, deletionOf: DeletionOf<S>): DeleteAction {
  const { id, cloud } = situation;
  const record = situation.deletion.started ? undefined : deletionRecord(situation, id);
  return {
    type: 'delete',
    id,
    record,
    isUnshown: cloud.state !== 'present',
    ...deletionOf(situation),
  };
}

/**
 * The record with the decision to delete, and with the ids that a list has shown.
 * @param peerings the ids of the peerings of the resource that a list has shown
 */
export function deletionRecord(
  { record, object, cloud }: Pick<Deleting, 'record' | 'object' | 'cloud'>,
  id: string,
  peerings: readonly string[] = [],
): ResourceRecord {
  const isKnown = cloud.state === 'absent' || (cloud.state === 'present' && cloud.isShown === true);
  const shown = [
    ...(isKnown ? [shownAs('resource', id)] : []),
    ...peerings.map((peering) => shownAs('peering', peering)),
  ];
  return {
    ...record,
    deletionStarted: {
      id,
      generation: object.metadata.generation,
      ...(shown.length > 0 ? { shown } : {}),
    },
  };
}

/**
 * Releases an object whose resource is proven to be absent, and waits for the proof of a resource that is only missing.
 * Undefined if the cloud shows the resource, or cannot be read.
 * @param isKept as of {@link releaseObject}
 */
function releaseOnceGone(situation: Situation, isKept?: boolean): Step | undefined {
  const { cloud, noun, now } = situation;
  if (cloud.state === 'absent')
    return releaseObject(situation, `the ${noun} is gone from the cloud`, isKept);
  if (cloud.state !== 'missing') return undefined;
  return wait('Deleting', `making sure that the ${noun} is gone from the cloud`, {
    afterMs: Math.max(cloud.again - now, 0),
  });
}

/**
 * Releases the object once the absence of the resource is proven, and waits for the proof before.
 */
export const confirmGone: Rule<Deleting> = (situation) => {
  const { cloud, noun } = situation;
  if (cloud.state === 'present') return keep(wait('Deleting', `the ${noun} is still there`));
  const error = cloud.state === 'unknown' ? cloud.error : undefined;
  return (
    releaseOnceGone(situation) ?? unreadableCloud(situation, error, undefined, orRetain(situation))
  );
};
