import type { ManagedObject } from '../../resources/managed-object.ts';
import { decidingProblem } from '../../resources/stored-object.ts';
import type { RuleOptions, Situation } from './situation.ts';

/** By its own spec, or because the operator only observes (`--management-policy Observe`). */
export function isObserved({ spec }: ManagedObject, options: RuleOptions): boolean {
  return options.managementPolicy === 'Observe' || spec.managementPolicy === 'Observe';
}

/** The setting for which the operator only observes, as the begin of a message. */
export function observingSetting(options: RuleOptions): string {
  return options.managementPolicy === 'Observe'
    ? 'the operator runs with --management-policy Observe'
    : 'spec.managementPolicy is Observe';
}

/** The deletion policy in the spec, or that of the operator. */
export function deletionPolicyOf(object: ManagedObject, options: RuleOptions): 'Delete' | 'Retain' {
  return object.spec.deletionPolicy ?? options.deletionPolicy;
}

/** Whether the resource stays when the object is deleted, unless its deletion has begun. */
function keepsResource(object: ManagedObject, options: RuleOptions): boolean {
  return (
    isObserved(object, options) ||
    deletionPolicyOf(object, options) === 'Retain' ||
    wasPromisedToStay(object)
  );
}

/**
 * Whether a user deleted the object while its status said that the resource stays. An operator that starts with other
 * settings afterwards keeps that promise. The deletion itself raises the generation by 1.
 */
function wasPromisedToStay({ metadata, status }: ManagedObject): boolean {
  const { deletionTimestamp, generation } = metadata;
  return (
    deletionTimestamp !== undefined &&
    status?.onDelete === 'Retain' &&
    (status.observedGeneration ?? 0) >= generation - 1
  );
}

/** Only an operator that observes everything stops a deletion that has begun. */
export function isRetained({
  object,
  record,
  deletion: { started },
  options,
}: Pick<Situation, 'object' | 'record' | 'options'> & {
  readonly deletion: Pick<Situation['deletion'], 'started'>;
}): boolean {
  if (record.isShared) return true;
  if (started) return options.managementPolicy === 'Observe';
  return keepsResource(object, options);
}

/**
 * The effect that a deletion of the object would have on its resource, for the status.
 * @param environment of the resource: that of the spec, otherwise that which the cloud showed last. Undefined if
 *   neither names an environment, and for a kind without environments: the environment then protects nothing.
 */
export function onDelete(
  object: ManagedObject,
  environment: string | undefined,
  { options, rules }: Pick<Situation, 'options' | 'rules'>,
): 'Delete' | 'Retain' | 'Protected' {
  // An unreadable field may be the field that retains the resource.
  if (decidingProblem(object.problems)) return 'Protected';
  if (keepsResource(object, options)) return 'Retain';
  return isProtected(object, environment, rules) ? 'Protected' : 'Delete';
}

/** Without the field, the environment PROD and each object in a Namespace that requires approvals are protected. */
export function isProtected(
  object: ManagedObject,
  environment: string | undefined,
  rules: Situation['rules'],
): boolean {
  return (
    object.spec.deletionProtection ?? (environment === 'PROD' || rules?.approval !== undefined)
  );
}
