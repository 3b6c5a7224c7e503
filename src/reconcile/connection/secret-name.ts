import type { Kind, ManagedObject, ObjectOf } from '../../resources/managed-object.ts';

/** An object whose connection is in a Secret: of a kind that has a field for the Secret in its spec. */
export type Connected = { readonly [K in Kind]: 'connectionSecret' extends keyof ObjectOf<K>['spec'] ? ObjectOf<K> : never }[Kind];

/** Ends of the names that connection Secrets have when the spec gives none. */
const suffixes: Readonly<Record<Connected['kind'], string>> = { ManagedService: '-db', ReplicaSet: '-replicas-db' };

export function isConnected(object: ManagedObject): object is Connected {
  return object.kind in suffixes;
}

/** The name that an object wants its connection Secret to have. Until it is moved, the record may name another. */
export function wantedSecretName({ kind, metadata, spec }: Connected): string {
  return spec.connectionSecret?.name ?? `${metadata.name}${suffixes[kind]}`;
}

/** The Secret of a password on its way. */
export function pendingName(name: string): string {
  return `${name}-pending`;
}

const longestName = 253;
const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** Why Kubernetes takes no Secret of this name, or none for a password on its way beside it; undefined when it does. */
export function whyNoName(name: string): string | undefined {
  const { length } = pendingName(name);
  if (length > longestName)
    return `the name "${name}" for the connection Secret is too long: with "-pending" behind it, it has ${length} of at most ${longestName} characters`;
  return dnsName.test(name) ? undefined : `the name "${name}" for the connection Secret is none that Kubernetes takes`;
}
