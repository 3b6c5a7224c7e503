import * as z from 'zod';
import { clusterUidOf } from '../../operator/await-cluster.ts';
import { connectionLabel, credentialsLabel } from '../../resources/annotations.ts';
import { ledgerEntries, ledgerLabel } from '../../resources/ledger-entry.ts';
import {
  kinds,
  resourceTypes,
  type Kind,
  type ManagedObject,
} from '../../resources/managed-object.ts';
import { namespaceMetadata } from '../../resources/namespace-metadata.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';
import { connectionSecrets } from '../../resources/watched-secret.ts';
import {
  referenceOf,
  resourceKey,
  type ObjectReference,
  type ResourceType,
} from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';
import { CommandError } from '../error.ts';
import { collected, memoryGuard, type MemoryGuard } from '../memory.ts';
import { entryFromStatus, hasEntry, unreadCluster } from './entries-from-status.ts';
import { pagesOf } from './objects.ts';
import { isForbidden, permitted } from './permission.ts';

/** Of Secrets only the metadata: no password is read. */
export interface ClusterSnapshot {
  /** The uid of the namespace kube-system. Without the ledger, the entries have the same text. */
  readonly clusterUid: string;
  readonly objects: ReadonlyMap<Kind, readonly unknown[]>;
  /** False for a user without rights to the ledger: `entries` are then made from status. */
  readonly isLedgerRead: boolean;
  readonly entries: readonly unknown[];
  /** Objects with an entry that neither the ledger nor their status shows. */
  readonly unknown: ReadonlySet<ObjectReference>;
  /** Their rules hold changes. Without the right to read a Namespace, it is missing. */
  readonly namespaces: readonly unknown[];
  /** False for a user without the right to read the Namespaces. */
  readonly areNamespacesRead: boolean;
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
 * Reads everything that the operator watches. For a user without rights to the ledger, or to the identity of the
 * cluster, the status of each object takes the place of its ledger entry.
 * @param scope the namespaces that the operator looks after; undefined: all
 * @param planned the namespaces that a user without rights to the ledger asks about; undefined: all
 * @throws {KubernetesError}
 * @throws {CommandError} without the right to read these namespaces
 */
export async function readSnapshot(
  cluster: ClusterReader,
  {
    ledgerNamespace,
    namespaces: scope = [undefined],
  }: {
    readonly ledgerNamespace: string;
    readonly namespaces: readonly (string | undefined)[] | undefined;
  },
  planned?: readonly string[],
): Promise<ClusterSnapshot> {
  const ledger = await readLedger(cluster, ledgerNamespace);
  const places = ledger ? scope : (planned ?? scope);
  const memory = memoryGuard();
  const list = async (type: ResourceType<unknown>, labelSelector?: string, guard = uncounted) => {
    const all: unknown[] = [];
    for (const namespace of places) {
      const pages = pagesOf(cluster, lean(type), { namespace, labelSelector });
      all.push(...(await collected(permitted(pages, type.plural, namespace), guard)));
    }
    return all;
  };
  // In turn: the pages of several lists at once take more memory.
  const objects = new Map<Kind, readonly unknown[]>();
  for (const kind of kinds) objects.set(kind, await list(resourceTypes[kind], undefined, memory));
  return {
    objects,
    ...(ledger ?? (await ledgerOf(objects, ledgerNamespace, cluster))),
    ...(await readNamespaces(cluster, places)),
    connectionSecrets: await list(connectionSecrets, `${connectionLabel}=true`),
    credentialsSecrets: await list(secretMetadata, credentialsLabel),
  };
}

/** The metadata of these Namespaces; undefined among them: of all. A tenant may read only its own Namespace. */
async function readNamespaces(
  cluster: ClusterReader,
  places: readonly (string | undefined)[],
): Promise<Pick<ClusterSnapshot, 'namespaces' | 'areNamespacesRead'>> {
  const type = lean(namespaceMetadata);
  const all: unknown[] = [];
  try {
    for (const name of places)
      all.push(
        ...(name === undefined
          ? await collected(pagesOf(cluster, type, {}), uncounted)
          : [await cluster.get(type, resourceKey(undefined, name))]),
      );
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { namespaces: present(all), areNamespacesRead: false };
  }
  return { namespaces: present(all), areNamespacesRead: true };
}

function present(all: readonly unknown[]): readonly unknown[] {
  return all.filter((each) => each !== undefined);
}

type LedgerPart = Pick<ClusterSnapshot, 'clusterUid' | 'isLedgerRead' | 'entries' | 'unknown'>;

/** Undefined for a user who may not read the ledger, or the identity of the cluster. @throws {KubernetesError} */
async function readLedger(
  cluster: ClusterReader,
  namespace: string,
): Promise<LedgerPart | undefined> {
  try {
    const clusterUid = await identityOf(cluster);
    const where = { namespace, labelSelector: `${ledgerLabel}=true` };
    const entries = await collected(pagesOf(cluster, lean(ledgerEntries), where), uncounted);
    return { clusterUid, isLedgerRead: true, entries, unknown: new Set() };
  } catch (error) {
    if (isForbidden(error)) return undefined;
    throw error;
  }
}

async function ledgerOf(
  objects: ClusterSnapshot['objects'],
  ledgerNamespace: string,
  cluster: ClusterReader,
): Promise<LedgerPart> {
  const entries: object[] = [];
  const unknown = new Set<ObjectReference>();
  for (const [kind, all] of objects)
    for (const raw of all) {
      const object: ManagedObject = resourceTypes[kind].parse(raw);
      const entry = await entryFromStatus(object, ledgerNamespace, cluster);
      if (entry) entries.push(entry);
      else if (hasEntry(object)) unknown.add(referenceOf(object));
    }
  return { clusterUid: unreadCluster, isLedgerRead: false, entries, unknown };
}

function lean(type: ResourceType<unknown>): ResourceType<unknown> {
  return { ...type, parse: withoutCopies };
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
