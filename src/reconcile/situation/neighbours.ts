import { CloudError } from '../../cloud/cloud-error.ts';
import { objectReference, parseKey, type ResourceKey } from '../../runtime/index.ts';
import { askPerson, type Stall } from '../step/step.ts';
import type { Situation, Dependent } from './situation.ts';
import { type ManagedObject, resourceTypes } from '../../resources/managed-object.ts';
import { annotations } from '../../resources/annotations.ts';

/** Another object, perhaps of another installation or of a kind that this version does not know. */
export interface Neighbour {
  readonly kind: string;
  readonly key: ResourceKey;
}

/** An object, as the reader of a name. */
interface InNamespace {
  readonly metadata: { readonly namespace: string };
}

/** Readers of a status must not learn names in other namespaces; readers of the log may. */
export function nameFor(reader: InNamespace, other: Neighbour): string {
  return isInSameNamespace(reader, other)
    ? `${other.kind} ${parseKey(other.key).name}`
    : `a ${other.kind} of another namespace`;
}

/** Whether readers of the status of this object may learn the name of the other object. */
export function isInSameNamespace({ metadata }: InNamespace, { key }: Neighbour): boolean {
  return parseKey(key).namespace === metadata.namespace;
}

/** None while they cannot be read. */
export function dependentsIn({ deletion }: Pick<Situation, 'deletion'>): readonly Dependent[] {
  return deletion.dependents instanceof CloudError ? [] : (deletion.dependents ?? []);
}

/** The other objects that hold this object up, by their names in the log. */
export function othersInLog(situation: Situation): readonly string[] {
  const { claim, adoption } = situation;
  const others: (Neighbour | undefined)[] = [];
  if (claim.state === 'contested') others.push(claim.rival);
  if (claim.state === 'copied') others.push(claim.original);
  if (adoption?.state === 'owned') others.push(adoption.owner);
  others.push(...dependentsIn(situation).map(({ owner }) => owner));
  return others.flatMap((other) => (other ? [objectReference(other.kind, other.key)] : []));
}

/** Whether `external-id` is allowed. With the operator's own key, the id could belong to another namespace. */
export function mayAdopt({ account, options }: Pick<Situation, 'account' | 'options'>): boolean {
  return account.state !== 'usable' || !account.operatorsOwn || options.sharedProjectAdoption;
}

/**
 * The action that adopts a resource, for a message.
 * @param isAllowed whether the key of the object may adopt
 * @param ids the candidates
 */
export function howToAdopt(isAllowed: boolean, ids: readonly string[]): string {
  return isAllowed ? `annotate ${externalIdOf(ids)}` : 'set spec.credentialsRef';
}

/**
 * The annotation that adopts, for a message: with the id of a single candidate, otherwise with a
 * placeholder.
 */
export function externalIdOf([id = '<id>', ...others]: readonly string[]): string {
  return `${annotations.externalId}=${others.length === 0 ? id : '<id>'}`;
}

/** A complete command to copy from a message. */
export function deleteCommand({ kind, metadata: { name, namespace } }: ManagedObject): string {
  return `kubectl delete ${resourceTypes[kind].plural} ${name} -n ${namespace}`;
}

/** The advice to delete an object that owns nothing, with the command. The resource stays. */
export function adviceToDelete(object: ManagedObject): string {
  return `delete this object, which keeps it in the cloud: ${deleteCommand(object)}`;
}

/** The report of an adoption that another living object prevents. It names that object only within its namespace. */
export function ownedByAnother(thing: string, object: ManagedObject, owner: Neighbour): Stall {
  return askPerson(
    'OwnedByAnother',
    `${thing} belongs to ${nameFor(object, owner)}: ${adviceToDelete(object)}`,
  );
}
