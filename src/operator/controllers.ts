import type { Context } from '../reconcile/process/context.ts';
import { reconcileCredentialsSecret } from '../reconcile/credentials/reconcile-secret.ts';
import { secretMetadata, type SecretMetadata } from '../resources/secret-metadata.ts';
import { reconcilers } from '../reconcile/kinds/all.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import type { Situation } from '../reconcile/situation/situation.ts';
import { holdReporter, withRefusalReported } from '../reconcile/step/secret-events.ts';
import type { Manager, ObjectCache, Requeue, ResourceKey } from '../runtime/index.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { perKind, type ManagedObject } from '../resources/managed-object.ts';
import { sharedObjects } from './shared-objects.ts';
import { watchAwaitedSecrets } from '../reconcile/process/awaited-secrets.ts';
import { wakeUsersOf, wireCredentials, wireWakeUps, type Wake } from '../reconcile/process/wake-ups.ts';

/** Makes all controllers, and enqueues the objects that a change in Kubernetes concerns. */
export function wireControllers(
  runtime: Pick<Manager, 'controller' | 'watch'>,
  context: Context,
  { workers, metrics }: { readonly workers: number; readonly metrics: Pick<OperatorMetrics, 'visit'> },
): void {
  const { caches, kubernetes, events } = context;
  const controllerOf = perKind((kind) =>
    runtime.controller({
      name: kind,
      workers,
      // Objects that wait for an API key must not hold up objects of another key.
      groupOf: (key) => credentialsOf(caches.of(kind).get(key)),
      reconcile: (key, signal) => reconcile<Situation>(reconcilers[kind], key, context, signal),
      onDone: (_key, durationMs, failed) => metrics.visit(kind, durationMs, failed),
      shared: sharedObjects(kind, context),
    }),
  );
  const secrets = (name: string, cache: ObjectCache<Pick<SecretMetadata, 'metadata'>>, visit: (key: ResourceKey) => Promise<Requeue>) =>
    runtime.controller({
      name,
      kind: 'Secret',
      workers: 1,
      reconcile: (key) => withRefusalReported(cache.get(key), events, () => visit(key)),
    });
  // Keeps credentials Secrets that are in use from being deleted.
  const reportHeldKey = holdReporter(
    events,
    'what it has in the cloud may need this API key; delete the object, or name in its spec.credentialsRef another Secret, whose key works',
  );
  const credentials = secrets('credentials', caches.credentialsSecrets, (key) =>
    reconcileCredentialsSecret(key, caches.credentialsSecrets, caches, kubernetes, reportHeldKey),
  );
  const wake: Wake = (kind, key, priority) => controllerOf(kind).enqueue(key, { priority });
  wireWakeUps(caches, wake);
  wireCredentials(caches, credentials);
  watchAwaitedSecrets(
    caches,
    (namespace, cache, ended) => runtime.watch(secretMetadata, cache, namespace, ended),
    (secret, who) => wakeUsersOf(secret, caches, wake, who),
  );
}

/** Empty for the operator's own key. */
function credentialsOf(object: ManagedObject | undefined): string {
  const name = object?.spec.credentialsRef?.name;
  return object === undefined || name === undefined ? '' : `${object.metadata.namespace}/${name}`;
}
