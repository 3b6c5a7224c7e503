import { patchStatus, statusPatch, systemClock, type KubernetesClient, type ResourceKey } from '../../runtime/index.ts';
import { servingOf } from '../../resources/condition.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Context } from '../process/context.ts';
import type { Situation } from '../situation/situation.ts';
import { wait } from '../step/step.ts';
import { conditionsOf } from './status.ts';

/** Real time, as for all deadlines of the transport. */
const silentMs = 4_000;
const silent = wait('WaitingForCloud', 'the cloud has not answered yet: the operator waits for it, and goes on by itself');

type Dependencies = Pick<Context, 'caches' | 'clock' | 'shard'> & { readonly kubernetes: Pick<KubernetesClient, 'patch'> };

/** Runs a visit. If it lasts for some seconds, the object says that the cloud does not answer; a status about the present spec stays. */
export async function reportingSilence<S extends Situation, T>(
  kind: Pick<KindReconciler<S>, 'type'>,
  key: ResourceKey,
  context: Dependencies,
  visit: () => Promise<T>,
): Promise<T> {
  let report: Promise<unknown> = Promise.resolve();
  const timer = systemClock.schedule(silentMs, () => {
    // The visit itself reports a Kubernetes that takes no write.
    report = reportSilence(kind, key, context).catch(() => undefined);
  });
  try {
    return await visit();
  } finally {
    timer[Symbol.dispose]();
    await report;
  }
}

async function reportSilence<S extends Situation>(
  kind: Pick<KindReconciler<S>, 'type'>,
  key: ResourceKey,
  context: Dependencies,
): Promise<void> {
  const { caches, clock, shard, kubernetes } = context;
  const cache = caches.of(kind.type.kind);
  const object = cache.get(key);
  if (!object || object.spec.suspend === true || shard?.isOurs(object) === false) return;
  const { status, metadata } = object;
  if (status?.observedGeneration === metadata.generation) return;
  // The generation stays: no visit has looked at the spec yet.
  const at = { observedGeneration: status?.observedGeneration, now: clock.now() };
  const conditions = conditionsOf(silent, servingOf(object), status?.conditions ?? [], at);
  const difference = statusPatch(object, { ...status, conditions });
  if (difference) await patchStatus(kubernetes, kind.type, object, difference, cache, shard !== undefined);
}
