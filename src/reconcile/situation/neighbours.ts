import { CloudError } from '../../cloud/cloud-error.ts';
import { objectReference, parseKey } from '../../runtime/index.ts';
import type { Situation, Claimant, Dependent } from './situation.ts';
import { type ManagedObject, resourceTypes } from '../../resources/managed-object.ts';
import { annotations } from '../../resources/annotations.ts';

type Place = Pick<Claimant, 'kind' | 'key'>;

/** Readers of a status must not learn names in other namespaces; readers of the log may. */
export function nameFor(reader: ManagedObject, other: Place): string {
  return isInSameNamespace(reader, other) ? `${other.kind} ${parseKey(other.key).name}` : `a ${other.kind} of another namespace`;
}

export function isInSameNamespace({ metadata }: ManagedObject, { key }: Place): boolean {
  return parseKey(key).namespace === metadata.namespace;
}

/** None while they cannot be read. */
export function dependentsIn({ deletion }: Pick<Situation, 'deletion'>): readonly Dependent[] {
  return deletion.dependents instanceof CloudError ? [] : (deletion.dependents ?? []);
}

/** The other objects that hold this object up, by their names in the log. */
export function othersInLog(situation: Situation): readonly string[] {
  const { claim, adoption } = situation;
  const others: (Place | undefined)[] = [];
  if (claim.state === 'contested') others.push(claim.rival);
  if (adoption?.state === 'owned') others.push(adoption.owner);
  others.push(...dependentsIn(situation).map(({ owner }) => owner));
  return others.flatMap((other) => (other ? [objectReference(other.kind, other.key)] : []));
}

/** Whether `external-id` is allowed. With the operator's own key, the id could belong to another namespace. */
export function mayAdopt({ account, options }: Pick<Situation, 'account' | 'options'>): boolean {
  return account.state !== 'usable' || !account.account.operatorsOwn || options.sharedProjectAdoption;
}

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
