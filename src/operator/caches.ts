import { connectionSecrets, type WatchedSecret } from '../resources/watched-secret.ts';
import type { Caches } from '../reconcile/process/context.ts';
import { secretMetadata, type SecretMetadata } from '../resources/secret-metadata.ts';
import { connectionLabel, credentialsLabel } from '../resources/annotations.ts';
import { managedServices, type ManagedService } from '../resources/managed-service.ts';
import { managedVpcs, type ManagedVpc } from '../resources/managed-vpc.ts';
import { replicaSets, type ReplicaSet } from '../resources/replica-set.ts';
import {
  catchUp,
  objectCache,
  type FillableCache,
  type KubernetesClient,
  type KubernetesObject,
  type ResourceType,
} from '../runtime/index.ts';
import type { Watches } from './watches.ts';

/** What the operator knows of Kubernetes: a copy of each kind that it looks after, and the watches that keep it up to date. */
export interface OperatorCaches extends Caches {
  /** Begins to fill them, until the signal aborts. Resolves once each holds what a consistent list told. */
  fill(watching: Watches, signal: AbortSignal): Promise<void>;
  /** Resolves once each holds all that there is now: whoever acted until a moment ago may have written what no watch has told yet. */
  catchUp(client: KubernetesClient, signal: AbortSignal): Promise<void>;
}

/** @param scopes the namespaces to look after; one undefined for all */
export function operatorCaches(scopes: readonly (string | undefined)[]): OperatorCaches {
  const vpcs = objectCache<ManagedVpc>(scopes);
  const services = objectCache<ManagedService>(scopes);
  const replicaSetCache = objectCache<ReplicaSet>(scopes);
  const ourSecrets = objectCache<WatchedSecret>(scopes, ({ metadata }) => metadata.labels?.[connectionLabel] === 'true');
  const credentialsSecrets = objectCache<SecretMetadata>(scopes, ({ metadata }) => metadata.labels?.[credentialsLabel] !== undefined);
  const kept = <T extends KubernetesObject>(type: ResourceType<T>, cache: FillableCache<T>, labelSelector?: string) => {
    const labels = labelSelector === undefined ? {} : { labelSelector };
    return {
      async fill(watching: Watches, signal: AbortSignal) {
        for (const namespace of scopes) watching.into(type, cache, { namespace, ...labels }, signal);
        await cache.whenSynced(signal);
      },
      async catchUp(client: KubernetesClient, signal: AbortSignal) {
        await Promise.all(scopes.map((namespace) => catchUp({ type, cache, namespace, ...labels, client }, signal)));
      },
    };
  };
  const all = [
    kept(managedVpcs, vpcs),
    kept(managedServices, services),
    kept(replicaSets, replicaSetCache),
    kept(connectionSecrets, ourSecrets, `${connectionLabel}=true`),
    kept(secretMetadata, credentialsSecrets, credentialsLabel),
  ];
  return {
    vpcs,
    services,
    replicaSets: replicaSetCache,
    connectionSecrets: ourSecrets,
    credentialsSecrets,
    async fill(watching, signal) {
      await Promise.all(all.map((each) => each.fill(watching, signal)));
    },
    async catchUp(client, signal) {
      await Promise.all(all.map((each) => each.catchUp(client, signal)));
    },
  };
}
