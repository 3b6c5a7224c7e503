import { annotations } from '../../resources/annotations.ts';
import { type ManagedObject, resourceTypes } from '../../resources/managed-object.ts';
import type { Situation } from './situation.ts';

/** Whether `external-id` is allowed. With the operator's own key, the id could belong to another namespace. */
export function mayAdopt({ account, options }: Pick<Situation, 'account' | 'options'>): boolean {
  return account.state !== 'usable' || !account.account.operatorsOwn || options.sharedProjectAdoption;
}

/** The advice to adopt any of these ids, as far as this is allowed. */
export function howToAdopt(isAllowed: boolean, ids: readonly string[]): string {
  return isAllowed ? `annotate ${externalIdOf(ids)}` : 'set spec.credentialsRef';
}

export function externalIdOf([id = '<id>', ...others]: readonly string[]): string {
  return `${annotations.externalId}=${others.length === 0 ? id : '<id>'}`;
}

/** A complete command to copy from a message. */
export function deleteCommand({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `kubectl delete ${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}
