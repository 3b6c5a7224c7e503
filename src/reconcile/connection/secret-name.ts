import type { Kind, ManagedObject, ObjectOf } from '../../resources/managed-object.ts';

/** An object with a connection Secret: its kind has the field for it in the spec. */
export type Connected = { readonly [K in Kind]: 'connectionSecret' extends keyof ObjectOf<K>['spec'] ? ObjectOf<K> : never }[Kind];

/** Suffixes of the default names of connection Secrets. */
const suffixes: Readonly<Record<Connected['kind'], string>> = { ManagedService: '-db', ReplicaSet: '-replicas-db' };

export function isConnected(object: ManagedObject): object is Connected {
  return object.kind in suffixes;
}

/** The name of the connection Secret. */
export function secretNameOf({ kind, metadata, spec }: Connected): string {
  return spec.connectionSecret?.name ?? `${metadata.name}${suffixes[kind]}`;
}

const longestName = 253;
const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** Whether Kubernetes accepts a Secret of this name. */
export function isSecretName(name: string): boolean {
  return name.length <= longestName && dnsName.test(name);
}
