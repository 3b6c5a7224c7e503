import { decidingProblem } from '../resources/spec-problem.ts';
import type { ManagedObject, Policy } from './situation.ts';

export function deletionPolicyOf(object: ManagedObject, policy: Policy): 'Delete' | 'Retain' {
  return object.spec.deletionPolicy ?? policy.deletionPolicy;
}

/** What would happen to the cloud resource if the object were deleted now. */
export function onDelete(object: ManagedObject, environment: string | undefined, policy: Policy): 'Delete' | 'Retain' | 'Protected' {
  // What cannot be read may be what keeps it.
  if (decidingProblem(object.problems)) return 'Protected';
  if (object.spec.managementPolicy === 'Observe' || deletionPolicyOf(object, policy) === 'Retain') return 'Retain';
  return isProtected(object, environment) ? 'Protected' : 'Delete';
}

/** Omitted means protected while the environment is PROD. */
export function isProtected(object: ManagedObject, environment: string | undefined): boolean {
  return object.spec.deletionProtection ?? environment === 'PROD';
}
