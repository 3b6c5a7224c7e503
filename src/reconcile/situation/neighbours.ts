import { CloudError } from '../../cloud/cloud-error.ts';
import { objectReference, parseKey } from '../../runtime/index.ts';
import type { Situation, Claimant } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

type Place = Pick<Claimant, 'kind' | 'key'>;

/** Another object, as the reader of an object's status may know it: what other namespaces hold is none of their business. Whoever reads the log is told. */
export function namedTo(reader: ManagedObject, other: Place): string {
  return isNeighbour(reader, other) ? `${other.kind} ${other.key}` : `a ${other.kind} of another namespace`;
}

export function isNeighbour({ metadata }: ManagedObject, { key }: Place): boolean {
  return parseKey(key).namespace === metadata.namespace;
}

/** Those in the way of an object, by the names of the log. */
export function othersInLog(situation: Situation): readonly string[] {
  const { claim, deletion, adoption } = situation;
  const others: (Place | undefined)[] = [];
  if (claim.state === 'another') others.push(claim.owner);
  if (claim.state === 'undecided') others.push(claim.rival);
  if (adoption?.state === 'owned') others.push(adoption.owner);
  if (deletion.dependents && !(deletion.dependents instanceof CloudError)) others.push(...deletion.dependents.map(({ owner }) => owner));
  return others.flatMap((other) => (other ? [objectReference(other.kind, other.key)] : []));
}
