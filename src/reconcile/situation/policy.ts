import type { ManagedObject } from '../../resources/managed-object.ts';
import { decidingProblem } from '../../resources/spec-problem.ts';
import type { Situation } from './situation.ts';

/** What the operator was told at start-up and rules go by. */
export interface Policy {
  readonly deletionPolicy: 'Delete' | 'Retain';
  /** Observe: nothing is created, changed or deleted in the cloud, whatever specs and marks say. */
  readonly managementPolicy: 'Manage' | 'Observe';
  readonly sharedProjectAdoption: boolean;
  readonly acceptedClusters: readonly string[];
  /** Whether this process sees the objects of all namespaces: only then can it tell that nobody else has a claim. */
  readonly seesAllObjects: boolean;
  /** Nobody else creates resources in the projects of its keys: what turns up under a chosen name is then what was asked for. */
  readonly soleCreator: boolean;
}

/** Whether nobody else creates resources where the operator does, and it sees all who ask it to. */
export function createsAlone({ soleCreator, seesAllObjects }: Policy): boolean {
  return soleCreator && seesAllObjects;
}

/** Whether an object only looks: by its own spec, or because the operator only looks, whatever specs say (`--management-policy Observe`). */
export function isObserved({ spec }: ManagedObject, policy: Policy): boolean {
  return policy.managementPolicy === 'Observe' || spec.managementPolicy === 'Observe';
}

/** The setting that says so, for messages. */
export function observingSetting(policy: Policy): string {
  return policy.managementPolicy === 'Observe' ? 'the operator runs with --management-policy Observe' : 'spec.managementPolicy is Observe';
}

export function deletionPolicyOf(object: ManagedObject, policy: Policy): 'Delete' | 'Retain' {
  return object.spec.deletionPolicy ?? policy.deletionPolicy;
}

/** Whether the resource stays in the cloud when its object goes. A deletion that was begun is stopped by nothing but an operator that only looks. */
export function isKept({ object, deletion, policy }: Pick<Situation, 'object' | 'deletion' | 'policy'>): boolean {
  if (deletion.started) return policy.managementPolicy === 'Observe';
  return isObserved(object, policy) || deletionPolicyOf(object, policy) === 'Retain';
}

/** What would happen to the cloud resource if the object were deleted now. */
export function onDelete(object: ManagedObject, environment: string | undefined, policy: Policy): 'Delete' | 'Retain' | 'Protected' {
  // What cannot be read may be what keeps it.
  if (decidingProblem(object.problems)) return 'Protected';
  if (isObserved(object, policy) || deletionPolicyOf(object, policy) === 'Retain') return 'Retain';
  return isProtected(object, environment) ? 'Protected' : 'Delete';
}

/** Omitted means protected while the environment is PROD. */
export function isProtected(object: ManagedObject, environment: string | undefined): boolean {
  return object.spec.deletionProtection ?? environment === 'PROD';
}
