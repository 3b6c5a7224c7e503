import { patchMetadata } from '../reconcile/act/patch-object.ts';
import { hasSweepable } from '../reconcile/act/release.ts';
import { reconcileCredentialsSecret, holdReporter } from '../reconcile/act/user-secrets.ts';
import { reconcilers } from '../reconcile/kinds/all.ts';
import {
  watchAwaitedSecrets,
  type Wake,
  wakeUsersOf,
  wireCredentials,
  wireWakeUps,
} from '../reconcile/wiring/wake-ups.ts';
import type { Context } from '../reconcile/wiring/context.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { entryOf } from '../reconcile/ledger/entry.ts';
import { forget, restart } from '../reconcile/report/publish.ts';
import type { Situation } from '../reconcile/situation/situation.ts';
import { type Kind, type ManagedObject, perKind } from '../resources/managed-object.ts';
import { secretMetadata } from '../resources/secret-metadata.ts';
import {
  isConflict,
  type Manager,
  type ObjectCache,
  type SharedObjects,
} from '../runtime/index.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';

/** Makes all controllers, and enqueues the objects that a change in Kubernetes concerns. */
export function wireControllers(
  runtime: Pick<Manager, 'controller' | 'watch'>,
  context: Context,
  {
    workers,
    metrics,
  }: { readonly workers: number; readonly metrics: Pick<OperatorMetrics, 'visit'> },
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
  // Keeps credentials Secrets that are in use from being deleted.
  const reportHeldKey = holdReporter(
    events,
    'its resource in the cloud may need this API key; delete the object, or set its spec.credentialsRef to a Secret with another valid key',
  );
  const credentials = runtime.controller({
    name: 'credentials',
    kind: 'Secret',
    workers: 1,
    reconcile: (key) =>
      reconcileCredentialsSecret(key, {
        heldSecrets: caches.credentialsSecrets,
        caches,
        kubernetes,
        reportHold: reportHeldKey,
      }),
  });
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

type Dependencies = Pick<
  Context,
  'caches' | 'clusterUid' | 'memory' | 'evidence' | 'clock' | 'loops'
> & {
  readonly kubernetes: Pick<Context['kubernetes'], 'patch'>;
  readonly accounts: Pick<Context['accounts'], 'forget'>;
  readonly subscriptions: Pick<Context['subscriptions'], 'forget'>;
};

export function sharedObjects(kind: Kind, context: Dependencies): SharedObjects {
  const cache: ObjectCache<ManagedObject> = context.caches.of(kind);
  return {
    cache,
    // The operator records each request to the cloud for an object first.
    isUntouched: (key) => {
      const object = cache.get(key);
      return (
        object === undefined ||
        (entryOf(object, context.caches) === undefined && object.status?.id === undefined)
      );
    },
    async letGo(key, labels) {
      const object = cache.get(key);
      if (!object) return;
      try {
        await patchMetadata(
          object,
          { labels: Object.fromEntries(labels.map((name) => [name, null])) },
          context,
        );
      } catch (error) {
        if (!isConflict(error)) throw error; // the next visit decides anew
      }
    },
    hasRemains: (key) => hasSweepable(kind, key, context),
    begin(key) {
      forget(kind, key, context);
      restart(kind, key, context);
    },
    forget: (key) => void forget(kind, key, context),
  };
}
