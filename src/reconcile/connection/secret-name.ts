import type { Kind, ManagedObject, ObjectOf } from '../../resources/managed-object.ts';
import type { ResourceRecord } from '../record/record.ts';

/** An object with a connection Secret: its kind has the field for it in the spec. */
export type Connected = { readonly [K in Kind]: 'connectionSecret' extends keyof ObjectOf<K>['spec'] ? ObjectOf<K> : never }[Kind];

/** Suffixes of the default names of connection Secrets. */
const suffixes: Readonly<Record<Connected['kind'], string>> = { ManagedService: '-db', ReplicaSet: '-replicas-db' };

export function isConnected(object: ManagedObject): object is Connected {
  return object.kind in suffixes;
}

/** The name that the spec wants for the connection Secret. Until the Secret has moved, the record may have another name. */
export function wantedSecretName({ kind, metadata, spec }: Connected): string {
  return spec.connectionSecret?.name ?? `${metadata.name}${suffixes[kind]}`;
}

/** All names under which the object's connection Secret may be: its own, those of a move that is not over, that in the status, and that in the spec. */
export function connectionNames(
  object: ManagedObject,
  { secretName, previousSecretName, nextSecretName }: ResourceRecord,
): readonly string[] {
  if (!isConnected(object)) return [];
  const names = [secretName, previousSecretName, nextSecretName, object.status?.binding?.name, wantedSecretName(object)];
  return [...new Set(names.filter((name) => name !== undefined))];
}

/** The name of the Secret for a pending password. */
export function pendingName(name: string): string {
  return `${name}-pending`;
}

const longestName = 253;

export function isTooLong(name: string): boolean {
  return name.length > longestName;
}

const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** The reason why Kubernetes accepts no Secret of this name, or none of its pending name; undefined if both are valid. */
export function whyNameIsInvalid(name: string): string | undefined {
  const { length } = pendingName(name);
  if (length > longestName)
    return `the name "${name}" for the connection Secret is too long: with "-pending" behind it, it has ${length} of at most ${longestName} characters`;
  return dnsName.test(name) ? undefined : `the name "${name}" for the connection Secret is none that Kubernetes takes`;
}
