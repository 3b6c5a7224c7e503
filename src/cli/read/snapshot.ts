import * as z from 'zod';
import { clusterUidOf } from '../../operator/await-cluster.ts';
import { connectionLabel, credentialsLabel } from '../../resources/annotations.ts';
import { ledgerEntries, ledgerLabel } from '../../resources/ledger-entry.ts';
import { kinds, resourceTypes, type Kind } from '../../resources/managed-object.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';
import { connectionSecrets } from '../../resources/watched-secret.ts';
import type { ResourceType } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';
import { collected, memoryGuard, type MemoryGuard } from '../memory.ts';
import { pagesOf } from './objects.ts';

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
  const memory = memoryGuard();
  const list = async (
    type: ResourceType<unknown>,
    labelSelector?: string,
    places: readonly (string | undefined)[] = scope ?? [undefined],
    guard = uncounted,
  ) => {
    const lean = { ...type, parse: withoutCopies };
    const all: unknown[] = [];
    for (const namespace of places)
      all.push(...(await collected(pagesOf(cluster, lean, { namespace, labelSelector }), guard)));
    return all;
  };
  // In turn: the pages of several lists at once take more memory.
  const objects = new Map<Kind, readonly unknown[]>();
  for (const kind of kinds)
    objects.set(kind, await list(resourceTypes[kind], undefined, undefined, memory));
  return {
    clusterUid: await identityOf(cluster),
    objects,
    entries: await list(ledgerEntries, `${ledgerLabel}=true`, [ledgerNamespace]),
    connectionSecrets: await list(connectionSecrets, `${connectionLabel}=true`),
    credentialsSecrets: await list(secretMetadata, credentialsLabel),
  };
}

/** The size of an object in memory contains its ledger entry and its Secret. */
const uncounted: MemoryGuard = { keep: () => undefined };

const copied = z.looseObject({
  metadata: z.looseObject({ annotations: z.record(z.string(), z.string()).optional() }),
});
const lastApplied = 'kubectl.kubernetes.io/last-applied-configuration';

/** Without the two copies of an object within itself, which the operator does not read either. */
function withoutCopies(value: unknown): unknown {
  const object = copied.parse(value);
  const { managedFields: _, annotations: all, ...metadata } = object.metadata;
  if (!all) return { ...object, metadata };
  const { [lastApplied]: _copy, ...annotations } = all;
  return { ...object, metadata: { ...metadata, annotations } };
}
