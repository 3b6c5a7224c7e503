import { releaseStraySecret } from '../reconcile/connection/release-stray-secret.ts';
import type { Context } from '../reconcile/process/context.ts';
import { reconcileCredentialsSecret } from '../reconcile/credentials/reconcile-secret.ts';
import type { SecretMetadata } from '../resources/secret-metadata.ts';
import { reconcilers } from '../reconcile/kinds/all.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import type { Situation } from '../reconcile/situation/situation.ts';
import { toldOnSecret } from '../reconcile/step/told-on-secret.ts';
import type { Controller, Manager, ObjectCache, Requeue, ResourceKey } from '../runtime/index.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { perKind, type Kind, type ManagedObject } from '../resources/managed-object.ts';

/** All controllers. They start with the runtime. */
export interface Controllers {
  of(kind: Kind): Controller;
  /** Credentials Secrets: keeps those in use from being deleted. */
  readonly credentials: Controller;
  /** Connection Secrets whose object no longer exists. */
  readonly strayConnections: Controller;
}

export function controllers(
  runtime: Pick<Manager, 'controller'>,
  context: Context,
  { workers, metrics }: { readonly workers: number; readonly metrics: Pick<OperatorMetrics, 'visit'> },
): Controllers {
  const { caches, kubernetes } = context;
  const objects = (kind: Kind) =>
    runtime.controller({
      name: kind,
      workers,
      // Objects that wait for one API key must not hold up objects of another.
      groupOf: (key) => credentialsOf(caches.of(kind).get(key)),
      reconcile: (key, signal) => reconcile<Situation>(reconcilers[kind], key, context, signal),
      onDone: (_key, durationMs, failed) => metrics.visit(kind, durationMs, failed),
    });
  const secrets = (name: string, cache: ObjectCache<Pick<SecretMetadata, 'metadata'>>, visit: (key: ResourceKey) => Promise<Requeue>) =>
    runtime.controller({
      name,
      kind: 'Secret',
      workers: 1,
      reconcile: (key) => toldOnSecret(cache.get(key), context.events, () => visit(key)),
    });
  return {
    of: perKind(objects),
    credentials: secrets('credentials', caches.credentialsSecrets, (key) =>
      reconcileCredentialsSecret(key, caches.credentialsSecrets, caches.ofAllKinds, kubernetes),
    ),
    strayConnections: secrets('stray-connections', caches.connectionSecrets, (key) => releaseStraySecret(key, context)),
  };
}

/** The key of the credentials Secret of an object; empty for the operator's own key. */
function credentialsOf(object: ManagedObject | undefined): string {
  const name = object?.spec.credentialsRef?.name;
  return object === undefined || name === undefined ? '' : `${object.metadata.namespace}/${name}`;
}
