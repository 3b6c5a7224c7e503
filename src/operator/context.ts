import { comparedSecrets } from '../reconcile/connection/observe-connection.ts';
import type { Context } from '../reconcile/wiring/context.ts';
import { evidence } from '../reconcile/wiring/evidence.ts';
import { listSubscriptions } from '../reconcile/wiring/list-subscriptions.ts';
import { memory } from '../reconcile/wiring/memory.ts';
import { loopGuard, type Manager } from '../runtime/index.ts';

/** The other parts come from the runtime, or are created empty. */
export type ContextParts = Omit<
  Context,
  | 'kubernetes'
  | 'recording'
  | 'leadership'
  | 'shard'
  | 'events'
  | 'compared'
  | 'subscriptions'
  | 'memory'
  | 'evidence'
  | 'loops'
>;

export function contextOf(
  runtime: Pick<Manager, 'client' | 'recording' | 'leadership' | 'shard' | 'events' | 'enqueue'>,
  parts: ContextParts,
): Context {
  const { client, recording, leadership, shard, events } = runtime;
  return {
    ...parts,
    kubernetes: client,
    recording,
    leadership,
    shard,
    events,
    compared: comparedSecrets(parts.caches.connectionSecrets),
    subscriptions: listSubscriptions((user) => runtime.enqueue(user)),
    memory: memory(),
    evidence: evidence(),
    loops: loopGuard(),
  };
}
