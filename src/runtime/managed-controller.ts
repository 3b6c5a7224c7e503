import { systemClock } from './clock.ts';
import { controller, type Controller, type ControllerOptions } from './controller.ts';
import { visiting } from './current-visit.ts';
import type { Leadership } from './leadership.ts';
import { logFailure } from './log-failure.ts';
import type { Log } from './log.ts';
import { objectReference } from './object-reference.ts';
import { sharedVisits, type SharedObjects, type Sharing } from './shared-visits.ts';
import type { QueueObserver } from './work-queue.ts';

/** Options of a controller; the manager adds the rest. */
export interface ManagedControllerOptions extends Pick<ControllerOptions, 'name' | 'workers' | 'groupOf' | 'reconcile' | 'onDone'> {
  /** The kind of the objects that it visits. Default: its name. */
  readonly kind?: string;
  /** The objects of its keys, if processes share them by a label. Default: each process visits all keys. */
  readonly shared?: SharedObjects;
}

export interface ManagedControllerParts extends Pick<ControllerOptions, 'clock' | 'random'> {
  readonly log: Log;
  readonly leadership: Leadership;
  readonly metrics: { queue(name: string): QueueObserver; retry(name: string): void } | undefined;
  /** Undefined: this process has all objects. */
  readonly sharing: Sharing | undefined;
}

/** A controller that visits the objects of this process, and logs and counts its failures. */
export function managedController({ kind = '', shared, ...asked }: ManagedControllerOptions, parts: ManagedControllerParts): Controller {
  const { clock, random, log, leadership, metrics, sharing } = parts;
  const { reconcile, name } = asked;
  const again = (key: Parameters<typeof reconcile>[0], afterMs: number) => {
    // Whoever waits for an edit of another object comes first.
    systemClock.schedule(afterMs, () => made.enqueue(key, { priority: 'resync' }));
  };
  const own = shared && sharing && sharedVisits(shared, { ...sharing, reconcile, again });
  const visit = own ? own.visit : reconcile;
  const made: Controller = controller({
    ...asked,
    clock,
    random,
    ...(own ? { concerns: own.concerns } : {}),
    reconcile: (key, signal) => visiting(objectReference(kind || name, key), () => visit(key, signal)),
    onError(key, error, retryInMs) {
      metrics?.retry(name);
      // The loss of the lease is logged once, not by each visit whose writes were held back.
      if (leadership.held) logFailure(log, objectReference(kind || name, key), error, retryInMs);
    },
    ...(metrics ? { observer: metrics.queue(name) } : {}),
  });
  return made;
}
