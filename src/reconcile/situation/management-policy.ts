import type { ManagedObject } from '../../resources/managed-object.ts';
import type { Policy } from './policy.ts';

/** Whether an object only looks: by its own spec, or because the operator only looks, whatever specs say (`--management-policy Observe`). */
export function isObserved({ spec }: ManagedObject, policy: Policy): boolean {
  return policy.managementPolicy === 'Observe' || spec.managementPolicy === 'Observe';
}

/** The setting that says so, for messages. */
export function observingSetting(policy: Policy): string {
  return policy.managementPolicy === 'Observe' ? 'the operator runs with --management-policy Observe' : 'spec.managementPolicy is Observe';
}
