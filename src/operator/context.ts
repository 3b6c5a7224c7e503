import { secretsWithData } from '../resources/connection-secret.ts';
import { secretContents } from '../reconcile/connection/secret-contents.ts';
import type { Context } from '../reconcile/process/context.ts';
import { definitionReader } from '../reconcile/process/custom-resource-definition.ts';
import { listSubscriptions } from '../reconcile/process/list-subscriptions.ts';
import { memory } from '../reconcile/process/memory.ts';
import { loopGuard, type Manager } from '../runtime/index.ts';

/** The parts of a context that the caller provides. The others come from the runtime, or are created empty. */
export interface ContextParts extends Pick<
  Context,
  'caches' | 'accounts' | 'claims' | 'clock' | 'log' | 'options' | 'database' | 'clusterUid' | 'newId' | 'newPassword' | 'random'
> {
  readonly runtime: Manager;
}

/** The context of reconciles, with an empty memory. */
export function contextOf({
  runtime,
  caches,
  accounts,
  claims,
  clock,
  log,
  options,
  database,
  clusterUid,
  ...chance
}: ContextParts): Context {
  const { client, recording, leadership, events } = runtime;
  return {
    kubernetes: client,
    recording,
    caches,
    contents: secretContents(caches.connectionSecrets, (key) => client.get(secretsWithData, key)),
    definitionOf: definitionReader(client),
    accounts,
    claims,
    subscriptions: listSubscriptions((user) => runtime.enqueue(user)),
    memory: memory(),
    loops: loopGuard(),
    clock,
    leadership,
    events,
    log,
    options,
    database,
    clusterUid,
    newId: chance.newId,
    newPassword: chance.newPassword,
    random: chance.random,
  };
}
