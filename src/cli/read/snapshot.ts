import { clusterUidOf } from '../../operator/await-cluster.ts';
import { connectionLabel, credentialsLabel } from '../../resources/annotations.ts';
import { ledgerEntries, ledgerLabel } from '../../resources/ledger-entry.ts';
import { kinds, resourceTypes, type Kind } from '../../resources/managed-object.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';
import { connectionSecrets } from '../../resources/watched-secret.ts';
import type { ResourceType } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';

/** Of Secrets only the metadata: no password is read. */
export interface ClusterSnapshot {
  /** The uid of the namespace kube-system. */
  readonly clusterUid: string;
  readonly objects: ReadonlyMap<Kind, readonly unknown[]>;
  readonly entries: readonly unknown[];
  readonly connectionSecrets: readonly unknown[];
  readonly credentialsSecrets: readonly unknown[];
}

/** The identity of the cluster. @throws {CommandError} @throws {KubernetesError} */
export async function identityOf(cluster: ClusterReader): Promise<string> {
  const uid = await clusterUidOf(cluster);
  if (uid === undefined)
    throw new CommandError(
      'the namespace kube-system does not exist: its uid is the identity of the cluster',
    );
  return uid;
}

/**
 * Reads everything that the operator watches.
 * @param scope the namespaces that it looks after; undefined: all
 * @throws {KubernetesError}
 */
export async function readSnapshot(
  cluster: ClusterReader,
  {
    ledgerNamespace,
    namespaces: scope,
  }: { readonly ledgerNamespace: string; readonly namespaces: readonly string[] | undefined },
): Promise<ClusterSnapshot> {
  const list = async (
    type: ResourceType<unknown>,
    labelSelector?: string,
    places: readonly (string | undefined)[] = scope ?? [undefined],
  ) => {
    const asItIs = { ...type, parse: (value: unknown) => value };
    const lists = await Promise.all(
      places.map((place) => cluster.list(asItIs, { namespace: place, labelSelector })),
    );
    return lists.flatMap(({ items }) => items);
  };
  const [clusterUid, entries, ofConnections, ofKeys, ...ofKinds] = await Promise.all([
    identityOf(cluster),
    list(ledgerEntries, `${ledgerLabel}=true`, [ledgerNamespace]),
    list(connectionSecrets, `${connectionLabel}=true`),
    list(secretMetadata, credentialsLabel),
    ...kinds.map((kind) => list(resourceTypes[kind])),
  ]);
  return {
    clusterUid,
    objects: new Map(kinds.map((kind, place) => [kind, ofKinds[place] ?? []])),
    entries,
    connectionSecrets: ofConnections,
    credentialsSecrets: ofKeys,
  };
}
