import { releaseStraySecret } from '../reconcile/connection/release-stray-secret.ts';
import type { Context } from '../reconcile/process/context.ts';
import { reconcileCredentialsSecret } from '../reconcile/credentials/reconcile-secret.ts';
import type { SecretMetadata } from '../resources/secret-metadata.ts';
import type { KindReconciler } from '../reconcile/kinds/kind.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import { replicaSetKind } from '../reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../reconcile/kinds/service/kind.ts';
import type { Situation } from '../reconcile/situation/situation.ts';
import { toldOnSecret } from '../reconcile/step/told-on-secret.ts';
import { vpcKind } from '../reconcile/kinds/vpc/kind.ts';
import type { Kind } from '../reconcile/process/wake-ups.ts';
import {
  controller,
  objectReference,
  visiting,
  type Controller,
  type ObjectCache,
  type Requeue,
  type ResourceKey,
} from '../runtime/index.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { tellOfFailure } from './tell-of-failure.ts';
import type { ManagedObject } from '../resources/managed-object.ts';

/** Everything that works keys. None of it works before it is started. */
export interface Controllers {
  readonly of: Readonly<Record<Kind, Controller>>;
  /** Secrets with API keys, which are held while something needs them. */
  readonly credentials: Controller;
  /** Connection Secrets that no object stands for any more. */
  readonly strayConnections: Controller;
  readonly all: readonly Controller[];
}

export function controllers(
  context: Context,
  { workers, metrics }: { readonly workers: number; readonly metrics: Pick<OperatorMetrics, 'visit' | 'queue' | 'retry'> },
): Controllers {
  const { caches, clock, kubernetes, log } = context;
  const random = () => context.random();
  const onError = (queue: string, kind: string) => (key: ResourceKey, error: unknown, retryInMs: number) => {
    metrics.retry(queue);
    // That the lease is lost is told once, not by each visit that was held back.
    if (context.leadership.held) tellOfFailure(log, objectReference(kind, key), error, retryInMs);
  };
  const objects = <S extends Situation>(kind: KindReconciler<S>) => {
    const name = kind.type.kind;
    return controller({
      name,
      workers,
      // What waits for one API key waits for that alone.
      groupOf: (key) => credentialsOf(kind.cacheIn(caches).get(key)),
      clock,
      random,
      reconcile: (key, signal) => visiting(objectReference(name, key), () => reconcile(kind, key, context, signal)),
      onError: onError(name, name),
      onDone: (_key, durationMs, failed) => metrics.visit(name, durationMs, failed),
      observer: metrics.queue(name),
    });
  };
  const secrets = (name: string, cache: ObjectCache<Pick<SecretMetadata, 'metadata'>>, visit: (key: ResourceKey) => Promise<Requeue>) =>
    controller({
      name,
      workers: 1,
      clock,
      random,
      reconcile: (key) => toldOnSecret(cache.get(key), context.events, () => visit(key)),
      onError: onError(name, 'Secret'),
      observer: metrics.queue(name),
    });
  const of = { ManagedVpc: objects(vpcKind), ManagedService: objects(serviceKind), ReplicaSet: objects(replicaSetKind) };
  const credentials = secrets('credentials', caches.credentialsSecrets, (key) =>
    reconcileCredentialsSecret(key, caches.credentialsSecrets, kubernetes),
  );
  const strayConnections = secrets('stray-connections', caches.connectionSecrets, (key) => releaseStraySecret(key, context));
  return { of, credentials, strayConnections, all: [...Object.values(of), credentials, strayConnections] };
}

/** Whose API key an object uses. */
function credentialsOf(object: ManagedObject | undefined): string {
  const name = object?.spec.credentialsRef?.name;
  return object === undefined || name === undefined ? '' : `${object.metadata.namespace}/${name}`;
}
