import { CloudError } from '../../../cloud/cloud-error.ts';
import { readyOf } from '../../../resources/condition.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';
import type { Deleting, Rule, Unheld } from '../rule.ts';
import { deletionPolicyOf, isRetained, isProtected } from '../../situation/options.ts';
import { effectWithinMs, isAwaitingEffect } from '../../situation/last-operation.ts';
import { nameFor } from '../../situation/neighbours.ts';
import type { Dependent, Situation } from '../../situation/situation.ts';
import { call, keep, stall, wait, write, type Stall, type Step } from '../../step/step.ts';
import { describeOutdated } from '../../process/custom-resource-definition.ts';
import { orUnidentified } from '../describe-unexplained.ts';
import { orRetain } from '../or-retain.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { intervals, longestRetryMs } from '../../step/intervals.ts';
import { refusalKey } from '../../step/refusal.ts';
import { backOffMs } from '../../../runtime/index.ts';
import { refusedEarlier, withNextVisitIn } from '../pending-change.ts';
import { replicaSetId, serviceId, vpcId } from '../../../cloud/wire/ids.ts';
import type { ResourceRecord } from '../../record/record.ts';
import { deletionMark } from '../../situation/recreation.ts';
import type { Action, CloudDeletion } from '../../step/action.ts';
import { aboutOf } from '../../connection/ownership.ts';

const deletingStates: ReadonlySet<string> = new Set(['DELETING', 'deleting']);

/**
 * An object with a retained resource, or none, needs no credentials for its release. One with an open create does, since the create may have made a resource.
 */
export const releaseRetained: Rule<Situation> = (situation) => {
  const { deletion, identity, attempt, noun } = situation;
  if (!deletion.requested || attempt !== undefined) return undefined;
  if (identity.state === 'none') return release(situation, `no ${noun} was created`);
  return isRetained(situation) ? release(situation, `the ${noun} stays in the cloud`) : undefined;
};

/** The cloud is deleting it, whoever asked for that: no DELETE follows. */
export const awaitDeletion: Rule<Deleting> = (situation) => {
  const { state = '', lastOperation: last, now } = situation;
  if (!deletingStates.has(state)) return undefined;
  return wait('Deleting', describeDeletion(situation), { inProgressSince: last?.operation === 'delete' ? last.at : now });
};

function describeDeletion({ deletion, object, options, noun, id }: Deleting): string {
  const isTooLate = deletion.started && deletionPolicyOf(object, options) === 'Retain';
  const late = isTooLate ? '; that had begun before spec.deletionPolicy became Retain' : '';
  return `the cloud is deleting the ${noun} ${id}${late}`;
}

/**
 * Puts rules that send a DELETE, or begin a deletion, behind everything that holds one back. They get the proof without which no DELETE can be made, also none
 * that only makes sure of an absence.
 */
export function unlessHeld<S extends Deleting>(holds: Rule<Deleting>, deletes: Rule<Unheld<S>>): Rule<S> {
  const isUnheld = (_: S, hold: Step | undefined): _ is Unheld<S> => hold === undefined;
  return (situation) => {
    const hold = holds(situation);
    return isUnheld(situation, hold) ? deletes(situation) : hold;
  };
}

/**
 * Holds a DELETE back while the CRD is being deleted with all objects, while it is older than the operator, or while the database is protected. A deletion
 * that has begun is not held back.
 */
export const holdDeletion: Rule<Deleting> = (situation) => {
  const { deletion, object, noun, environment } = situation;
  if (deletion.started) return undefined;
  if (deletion.crdTerminating) {
    return wait(
      'DeletionBlocked',
      `the CustomResourceDefinition of ${object.kind} is being deleted: nothing is deleted in the cloud; to drop this object and keep the ${noun}, set spec.deletionPolicy to Retain`,
      {
        afterMs: intervals.forPersonMs,
      },
    );
  }
  const unsure = doubtSpec(situation);
  if (unsure) return unsure;
  if (!isProtected(object, environment)) return undefined;
  const why = object.spec.deletionProtection === undefined ? 'because its environment is PROD' : 'by spec.deletionProtection';
  return wait(
    'DeletionProtected',
    `the ${noun} is protected ${why}: set spec.deletionProtection to false to delete it, or spec.deletionPolicy to Retain to keep it and drop only this object`,
    {
      afterMs: intervals.forPersonMs,
    },
  );
};

/**
 * An older CRD has dropped fields from the stored spec. They stay lost when the CRD is up to date again, so that only a change of the spec is an answer. The
 * record knows until then which spec it was about: what status says may be something else meanwhile.
 */
const doubtSpec: Rule<Deleting> = ({ deletion: { crdLacks }, object, noun, record }) => {
  const { generation } = object.metadata;
  const ready = readyOf(object);
  // Earlier builds told it in the status alone.
  const wasTold = ready?.reason === 'DefinitionOutdated' && ready.observedGeneration === generation;
  if (crdLacks.length === 0 && record.doubtedGeneration !== generation && !wasTold) return undefined;
  if (record.doubtedGeneration !== generation) {
    const action = { type: 'writeRecord', record: { ...record, doubtedGeneration: generation } } as const;
    return write(action, 'noting that the spec may lack fields that an older CustomResourceDefinition dropped');
  }
  const why =
    crdLacks.length > 0
      ? `${describeOutdated(object.kind, crdLacks)}. After that`
      : 'when this object was to be deleted, its CustomResourceDefinition was older than the operator, so that fields may have been lost from its spec. Now';
  return stall(
    'DefinitionOutdated',
    `nothing is deleted in the cloud: ${why}, set spec.deletionPolicy to Retain to keep the ${noun}, or to Delete, and spec.deletionProtection to false, to delete it`,
    { retryAfterMs: intervals.forPersonMs },
  );
};

/** Only existing resources in the cloud hold this one back, never an object that merely refers to it. */
export const awaitDependents: Rule<Deleting> = (situation) => {
  const { noun, object } = situation;
  const { dependents } = situation.deletion;
  if (!dependents)
    return wait('Deleting', `making sure that nothing depends on the ${noun}: the cloud's lists do not show it all yet`, {
      afterMs: intervals.forCloudMs,
    });
  if (dependents instanceof CloudError) return unreadableCloud(situation, dependents, `what depends on the ${noun}`, orRetain(situation));
  if (dependents.length === 0) return undefined;
  const isUnknown = dependents.some(({ owner, id }) => !owner && id === '');
  const then = isUnknown
    ? 'look there what has no id, and delete only what nobody needs'
    : [...new Set(dependents.map(({ remedy = 'delete it' }) => remedy))].join('; ');
  return wait('DeletionBlocked', `deletion waits for ${describe(dependents, object)}; ${then}${orRetain(situation)}`, {
    afterMs: intervals.forPersonMs,
  });
};

const shown = 5;

function describe(dependents: readonly Dependent[], object: ManagedObject): string {
  const kind = dependents[0]?.noun ?? '';
  const names = dependents
    .slice(0, shown)
    .map(({ owner, id }) =>
      owner
        ? nameFor(object, owner)
        : id === ''
          ? 'one that the cloud shows without an id (which object stands for it is not known)'
          : `${id} (no object here stands for it)`,
    );
  const more = dependents.length > shown ? ` and ${dependents.length - shown} more` : '';
  return `${dependents.length} ${kind}${dependents.length === 1 ? '' : 's'}: ${names.join(', ')}${more}`;
}

/** Deletes the resource once, and waits until the cloud has finished. */
export const remove: Rule<Unheld> = (situation) => {
  const { deletion, cloud, id, noun, now, lastOperation: last } = situation;
  // A 404, a list and a state may all be wrong. So the cloud is still asked to delete: that request leaves nothing behind, even if they were.
  if (cloud.state === 'absent' && !deletion.started)
    return call(deleteAction(situation, id), {
      reason: 'Deleting',
      message: `making sure that the ${noun} is gone from the cloud`,
    });
  if (cloud.state !== 'present') return undefined;
  const message = describeDeletion(situation);
  if (last && isAwaitingEffect(last, 'delete', id, cloud.asOf)) {
    // Lists may go on showing it as before, which wakes nobody.
    return wait('Deleting', message, {
      inProgressSince: last.at,
      afterMs: Math.max(last.at + effectWithinMs - now, intervals.forEffectMs),
    });
  }
  const refused = refusedEarlier(situation, 'delete', id);
  if (refused) return withNextVisitIn(refused.step, refused.blockedForMs);
  const inVain = deletedInVain(situation, 'delete', id, `the ${noun} ${id}`);
  return call({ ...deleteAction(situation, id), inVain }, { reason: 'Deleting', message });
};

/** The report of a DELETE that is sent again, since the earlier one had no effect. Undefined if there was none. The pauses grow from 30 s to 5 min. */
export function deletedInVain(
  { lastOperation: last, refusals, state }: Pick<Situation, 'lastOperation' | 'refusals' | 'state'>,
  operation: string,
  id: string,
  thing: string,
): Stall | undefined {
  if (last?.operation !== operation || last.wanted !== id) return undefined;
  const at = new Date(last.at).toISOString();
  const times = refusals.get(refusalKey(operation, id))?.times ?? 0;
  return stall(
    'NotApplied',
    `the cloud has been asked to delete ${thing} since ${at}, and goes on showing it${state === undefined ? '' : ` (${state})`}: delete it there, or ask the cloud's support, if that lasts; it is asked again by itself, less and less often`,
    { retryAfterMs: backOffMs(times, { firstMs: effectWithinMs, longestMs: longestRetryMs }, 0) },
  );
}

/** Why the absence proves nothing yet. */
function whyUnsure({ isNew, mayBeUnidentified, word }: Extract<Situation['cloud'], { state: 'missing' }>): string {
  if (word !== undefined) return `, which calls it ${word}`;
  if (mayBeUnidentified) return orUnidentified;
  return isNew
    ? ': no list has shown it yet, and it may be too new for that; its absence counts when the operator has looked for two minutes'
    : '';
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

/** The deletion of a resource. The decision is recorded first, unless the record has it already. */
export function deleteAction(situation: Unheld, id: string): Extract<Action, { type: 'delete' }> {
  const record = situation.deletion.started ? undefined : deletionRecord(situation, id);
  return { type: 'delete', record, ...deletionOf(situation, id) };
}

/** The record after a deletion was decided. */
export function deletionRecord({ object, record }: Unheld, id: string): ResourceRecord {
  return { ...record, deletionStarted: deletionMark(id, object) };
}

function deletionOf({ object, record }: Situation, id: string): CloudDeletion {
  switch (object.kind) {
    case 'ManagedVpc':
      return { operation: 'deleteVpc', id: vpcId.parse(id) };
    case 'ManagedService':
      return { operation: 'deleteService', id: serviceId.parse(id) };
    case 'ReplicaSet':
      return { operation: 'deleteReplicaSet', parentId: serviceId.parse(record.parentServiceId), id: replicaSetId.parse(id) };
  }
}

/** Releases the object. The Secrets of a deleted resource are removed; the Secrets of a retained or foreign resource stay. */
export function release(situation: Situation, message: string): Step {
  const { claim, secret, identity } = situation;
  const isForeign = claim.state !== 'ours' && claim.state !== 'restored';
  const id = identity.state === 'known' ? identity.id : undefined;
  const keepsSecrets = isForeign || isRetained(situation);
  return { type: 'release', message, released: { id, secretName: secret?.name, keepsSecrets, about: aboutOf(situation) } };
}
