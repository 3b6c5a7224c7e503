import type { Context } from '../reconcile/process/context.ts';
import { watchAwaitedSecrets } from '../reconcile/process/awaited-secrets.ts';
import { secretMetadata } from '../resources/secret-metadata.ts';
import { referenceIndex } from '../reconcile/process/reference-index.ts';
import { wakeUsersOf, wireCredentials, wireDying, wireWakeUps, type Wake } from '../reconcile/process/wake-ups.ts';
import type { Manager } from '../runtime/index.ts';
import type { Controllers } from './controllers.ts';

/** Policy time in which the operator removes the Secret of a deleted object itself. */
const removedWithinMs = 2_000;

/** Enqueues the objects that a change in Kubernetes concerns. */
export function wire({ caches }: Context, working: Controllers, runtime: Pick<Manager, 'watch'>): void {
  const wake: Wake = (kind, key, priority) => working.of(kind).enqueue(key, { priority });
  wireWakeUps(caches, referenceIndex(caches.ofAllKinds), wake);
  wireCredentials(caches, working.credentials);
  wireDying(caches.connectionSecrets, working.strayConnections, removedWithinMs);
  watchAwaitedSecrets(
    caches,
    (namespace, cache, ended) => runtime.watch(secretMetadata, cache, namespace, ended),
    (secret, who) => wakeUsersOf(secret, caches, wake, who),
  );
}
