import { decidingProblem } from '../../resources/spec-problem.ts';
import { isObserved } from './management-policy.ts';
import type { Situation } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Policy } from './policy.ts';

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
