import { annotations } from '../../resources/annotations.ts';
import { means, syncedOf } from '../../resources/condition.ts';
import {
  annotationsOf,
  entryLabels,
  ledgerLabel,
  ledgerSecretType,
  type EntryContent,
  type RecordedPeering,
  type ResourceRecord,
} from '../../resources/ledger-entry.ts';
import { resourceTypes, type ManagedObject } from '../../resources/managed-object.ts';
import { secretMetadata } from '../../resources/secret-metadata.ts';
import { entryName, resourceHash } from '../../reconcile/ledger/entry.ts';
import { peeringKey } from '../../reconcile/ledger/record.ts';
import { newContent, withRotationAnswered } from '../../reconcile/ledger/write-entry.ts';
import { sourceOrigin } from '../../reconcile/step/connection.ts';
import { hasFinalizer, parseKey, resourceKey } from '../../runtime/index.ts';
import type { ClusterReader } from '../copy/cluster-copy.ts';

/** The identity of a cluster for a user who may not read it. Only entries of this file contain it. */
export const unreadCluster = 'unread';

/**
 * The ledger entry of an object as far as its status shows it, without a password. The entry requests no password that
 * the spec has requested until now. Undefined if the status does not show the resource of the object.
 * @throws {KubernetesError}
 */
export async function entryFromStatus(
  object: ManagedObject,
  ledgerNamespace: string,
  cluster: ClusterReader,
): Promise<object | undefined> {
  const { id, projectId } = object.status ?? {};
  const isDisputed = means(syncedOf(object)?.reason, 'disputed');
  if (id === undefined || projectId === undefined || isDisputed) return undefined;
  const common = newContent(object, unreadCluster);
  const content = withRotationAnswered(
    {
      ...common,
      ...recordOf(object, { id, projectId }),
      ...(await sourceAnswered(object, cluster)),
    },
    object,
  );
  const labels = {
    [ledgerLabel]: 'true',
    [entryLabels.kind]: object.kind,
    [entryLabels.namespace]: object.metadata.namespace,
    [entryLabels.resource]: resourceHash(object.kind, projectId, id),
  };
  const metadata = {
    name: entryName(object),
    namespace: ledgerNamespace,
    uid: `status-${object.metadata.uid}`,
    resourceVersion: object.metadata.resourceVersion,
    labels,
    annotations: annotationsOf(content),
  };
  return { apiVersion: 'v1', kind: 'Secret', type: ledgerSecretType, metadata, data: {} };
}

/** Whether the ledger has an entry of the object, which may be about an open create. */
export function hasEntry({ kind, metadata }: ManagedObject): boolean {
  return (
    metadata.annotations?.[annotations.ledger] !== undefined ||
    hasFinalizer({ metadata }, resourceTypes[kind].finalizer)
  );
}

function recordOf(
  object: ManagedObject,
  ids: { readonly id: string; readonly projectId: string },
): ResourceRecord {
  const credentials = object.spec.credentialsRef?.name;
  const common = {
    ...ids,
    // The operator sets no password of an adopted service unasked.
    outcome: 'adopted',
    ...(credentials !== undefined && { credentialsSecret: credentials }),
  } as const;
  switch (object.kind) {
    case 'ManagedVpc':
      return { ...common, peerings: peeringsOf(object.status?.peerings ?? []) };
    case 'ManagedService': {
      const { vpcId } = object.status ?? {};
      const isAttached = vpcId !== undefined && (object.spec.vpcRef ?? object.spec.vpcId);
      return isAttached ? { ...common, vpcAttachment: vpcId } : common;
    }
    case 'ReplicaSet': {
      const { serviceId } = object.status ?? {};
      return serviceId === undefined ? common : { ...common, parentServiceId: serviceId };
    }
  }
}

interface ShownPeering {
  readonly id?: string | undefined;
  readonly managed?: boolean | undefined;
  readonly peerAccountId?: string | undefined;
  readonly peerRegionCode?: string | undefined;
  readonly peerVpcId?: string | undefined;
}

function peeringsOf(shown: readonly ShownPeering[]): Record<string, RecordedPeering> {
  return Object.fromEntries(
    shown.flatMap(({ id, managed, peerAccountId, peerRegionCode, peerVpcId }) =>
      id === undefined ||
      managed !== true ||
      peerAccountId === undefined ||
      peerRegionCode === undefined ||
      peerVpcId === undefined
        ? []
        : [[peeringKey({ peerAccountId, peerRegionCode, peerVpcId }), { id }]],
    ),
  );
}

/** The password in the cloud answers the present version of the user's Secret. */
async function sourceAnswered(
  { spec, metadata: { namespace } }: ManagedObject,
  cluster: ClusterReader,
): Promise<Pick<EntryContent, 'passwordFrom'>> {
  const source = 'password' in spec ? spec.password?.secretRef : undefined;
  if (!source) return {};
  const secret = await cluster.get(secretMetadata, resourceKey(namespace, source.name));
  return secret ? { passwordFrom: sourceOrigin(source, secret.metadata) } : {};
}

/** The reads of a user who may not read the ledger: each Secret there is absent. */
export function withoutLedger(cluster: ClusterReader, ledgerNamespace: string): ClusterReader {
  return {
    list: (...args) => cluster.list(...args),
    get: (type, key, ...more) =>
      type.plural === 'secrets' && parseKey(key).namespace === ledgerNamespace
        ? Promise.resolve(undefined)
        : cluster.get(type, key, ...more),
  };
}
