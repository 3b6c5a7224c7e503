import { isDeepStrictEqual } from 'node:util';
import { connectionAnnotations } from '../resources/connection-secret.ts';
import { connectionSecrets } from '../resources/watched-secret.ts';
import {
  entryLabels,
  ledgerEntries,
  ledgerLabel,
  type LedgerEntry,
} from '../resources/ledger-entry.ts';
import { ownerText } from '../reconcile/connection/projection.ts';
import type { Caches } from '../reconcile/wiring/context.ts';
import { secretMetadata } from '../resources/secret-metadata.ts';
import { connectionLabel, credentialsLabel } from '../resources/annotations.ts';
import { kinds, resourceTypes, type Kind, type ObjectOf } from '../resources/managed-object.ts';
import { namespaceMetadata } from '../resources/namespace-metadata.ts';
import { cacheIndex, resourceKey, type Manager, type ObjectCache } from '../runtime/index.ts';

/** Entries that this process has deleted; more are in flight at no time. */
const mostEnded = 1_000;

/** @param namespaces that the operator looks after; empty: all */
export function operatorCaches(
  runtime: Pick<Manager, 'cache'>,
  ledgerNamespace: string,
  namespaces: readonly string[] = [],
): Caches {
  const made: { [K in Kind]?: ObjectCache<ObjectOf<K>> } = {};
  const of = <K extends Kind>(kind: K): ObjectCache<ObjectOf<K>> => {
    const inKind: { [Q in K]?: ObjectCache<ObjectOf<Q>> } = made;
    return (inKind[kind] ??= runtime.cache(resourceTypes[kind]));
  };
  const ours = runtime.cache(connectionSecrets, { [connectionLabel]: 'true' });
  const byOwnerOrResource = cacheIndex([ours], ({ metadata: { namespace, annotations = {} } }) =>
    [annotations[connectionAnnotations.owner], annotations[connectionAnnotations.resource]].map(
      (value) => `${namespace}/${value}`,
    ),
  );
  const entries = runtime.cache(ledgerEntries, { [ledgerLabel]: 'true' }, [ledgerNamespace]);
  const byResource = cacheIndex([entries], ({ metadata }) =>
    [metadata.labels?.[entryLabels.resource]].filter((hash) => hash !== undefined),
  );
  const byName = cacheIndex([entries], ({ content }) =>
    content
      ? [`${content.object.kind}/${resourceKey(content.object.namespace, content.object.name)}`]
      : [],
  );
  // A right to some Namespaces allows no watch of all.
  const namespacesNamed = new Map(
    (namespaces.length === 0 ? [undefined] : namespaces).map((onlyName) => [
      onlyName,
      runtime.cache({ ...namespaceMetadata, ...(onlyName && { onlyName }) }, {}, [undefined]),
    ]),
  );
  const expected = new Map<string, string>();
  const isExpected = ({ metadata, content }: LedgerEntry) => {
    const text = expected.get(metadata.name);
    return text !== undefined && isDeepStrictEqual(content, JSON.parse(text));
  };
  // A version after another client's write is news, even with the content from before.
  entries.onChange(({ type, object: entry, own }) => {
    if (type === 'deleted' || (!own && !isExpected(entry))) expected.delete(entry.metadata.name);
  });
  const ended = new Set<string>();
  return {
    of,
    ofAllKinds: kinds.map((kind) => of(kind)),
    connectionSecrets: ours,
    connectionSecretsOf: (object, resource) => [
      ...new Set(
        [ownerText(object), resource].flatMap((value) =>
          byOwnerOrResource.of(`${object.metadata.namespace}/${value}`),
        ),
      ),
    ],
    ledger: {
      namespace: ledgerNamespace,
      isWatched: (namespace) => namespaces.length === 0 || namespaces.includes(namespace),
      entries,
      expects: (name, content) => void expected.set(name, JSON.stringify(content)),
      isExpected,
      expectsEnd({ metadata: { uid } }) {
        ended.add(uid);
        if (ended.size > mostEnded) ended.delete(ended.values().next().value ?? uid);
      },
      isEndExpected: ({ metadata: { uid } }) => ended.has(uid),
      ofResource: (hash) => byResource.of(hash),
      ofName: (kind, key) => byName.of(`${kind}/${key}`),
    },
    namespaces: [...namespacesNamed.values()],
    namespaceOf: (name) =>
      (namespacesNamed.get(name) ?? namespacesNamed.get(undefined))?.get(
        resourceKey(undefined, name),
      ),
    credentialsSecrets: runtime.cache(secretMetadata, { [credentialsLabel]: { any: true } }),
  };
}
