import { connectionSecrets } from '../resources/watched-secret.ts';
import type { Caches } from '../reconcile/process/context.ts';
import { secretMetadata } from '../resources/secret-metadata.ts';
import { connectionLabel, credentialsLabel } from '../resources/annotations.ts';
import { kinds, resourceTypes, type Kind, type ObjectOf } from '../resources/managed-object.ts';
import type { Manager, ObjectCache } from '../runtime/index.ts';

/** Caches of all watched objects: the operator's kinds, connection Secrets, and credentials Secrets that are in use. */
export function operatorCaches(runtime: Pick<Manager, 'cache'>): Caches {
  const made: { [K in Kind]?: ObjectCache<ObjectOf<K>> } = {};
  const of = <K extends Kind>(kind: K): ObjectCache<ObjectOf<K>> => {
    const inKind: { [Q in K]?: ObjectCache<ObjectOf<Q>> } = made;
    return (inKind[kind] ??= runtime.cache(resourceTypes[kind]));
  };
  return {
    of,
    ofAllKinds: kinds.map((kind) => of(kind)),
    connectionSecrets: runtime.cache(connectionSecrets, { [connectionLabel]: 'true' }),
    credentialsSecrets: runtime.cache(secretMetadata, { [credentialsLabel]: { any: true } }),
  };
}
