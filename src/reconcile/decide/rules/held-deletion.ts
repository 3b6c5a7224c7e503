import { CloudError } from '../../../cloud/cloud-error.ts';
import type { ManagedObject } from '../../../resources/managed-object.ts';
import { parseKey } from '../../../runtime/index.ts';
import { isInSameNamespace } from '../../situation/neighbours.ts';
import { isProtected } from '../../situation/options.ts';
import type { Dependent } from '../../situation/situation.ts';
import { intervals } from '../../step/intervals.ts';
import { listed } from '../../step/short-message.ts';
import { stall, wait, type Step } from '../../step/step.ts';
import { orRetain } from '../or-retain.ts';
import type { Deleting, Rule, Unheld } from '../rule.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';

/**
 * Puts rules that send a DELETE, or begin a deletion, behind all rules that hold a DELETE back. They get the
 * proof (`Unheld`) that every DELETE needs, also a DELETE that only confirms an absence.
 */
export function unlessHeld<S extends Deleting>(holds: Rule<Deleting>, deletes: Rule<Unheld<S>>): Rule<S> {
  const isUnheld = (_: S, hold: Step | undefined): _ is Unheld<S> => hold === undefined;
  return (situation) => {
    const hold = holds(situation);
    return isUnheld(situation, hold) ? deletes(situation) : hold;
  };
}

/**
 * Holds a DELETE back while the CRD is being deleted with all objects, or while the database is protected. A
 * deletion that has begun continues.
 */
export const holdDeletion: Rule<Deleting> = (situation) => {
  const { deletion, object, noun, environment } = situation;
  if (deletion.started) return undefined;
  if (deletion.crdTerminating) {
    return stall(
      'DeletionBlocked',
      `the CustomResourceDefinition of ${object.kind} is being deleted, so the ${noun} is not: set spec.deletionPolicy to Retain to drop only this object`,
      { retryAfterMs: intervals.forPersonMs },
    );
  }
  if (!isProtected(object, environment)) return undefined;
  const why = object.spec.deletionProtection === undefined ? 'because its environment is PROD' : 'by spec.deletionProtection';
  return stall(
    'DeletionProtected',
    `the ${noun} is protected ${why}: set spec.deletionProtection to false to delete it, or spec.deletionPolicy to Retain to keep it; this object goes in both cases`,
    { retryAfterMs: intervals.forPersonMs },
  );
};

/** Only existing resources in the cloud hold this deletion back, never an object that merely refers to the resource. */
export const awaitDependents: Rule<Deleting> = (situation) => {
  const { noun, object } = situation;
  const { dependents } = situation.deletion;
  if (!dependents)
    return wait('Deleting', `the operator proves that nothing depends on the ${noun}: the cloud's lists are incomplete`, {
      afterMs: intervals.forCloudMs,
    });
  if (dependents instanceof CloudError) return unreadableCloud(situation, dependents, `what depends on the ${noun}`, orRetain(situation));
  if (dependents.length === 0) return undefined;
  const [{ remedy = dependents.length === 1 ? 'delete it' : 'delete them' } = {}] = dependents;
  const held = `deletion waits for ${describe(dependents, object)}`;
  if (dependents.every(({ endsByItself }) => endsByItself))
    return wait('Deleting', `${held}; it goes on by itself`, { afterMs: intervals.forPersonMs });
  return stall('DeletionBlocked', `${held}; ${remedy}${orRetain(situation)}`, { retryAfterMs: intervals.forPersonMs });
};

function describe(dependents: readonly Dependent[], object: ManagedObject): string {
  const kinds = [...Map.groupBy(dependents, ({ noun }) => noun)].map(([noun, { length }]) => `${length} ${noun}${length === 1 ? '' : 's'}`);
  const names = dependents.map(({ owner, id }) => {
    if (!owner) return `${id} (no object)`;
    return isInSameNamespace(object, owner) ? parseKey(owner.key).name : "another namespace's";
  });
  return `${kinds.join(' and ')}: ${listed(names)}`;
}
