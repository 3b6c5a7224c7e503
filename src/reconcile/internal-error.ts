import { KubernetesError } from '../runtime/kubernetes-client.ts';
import type { ResourceKey } from '../runtime/kubernetes-object.ts';
import { writeStatus } from '../runtime/status-writer.ts';
import { conditionsOf } from './conditions.ts';
import type { Context } from './context.ts';
import type { KindReconciler } from './kind.ts';
import type { Situation } from './situation.ts';
import { wait } from './step.ts';

/**
 * A visit that failed because of a mistake of ours says so on its object; the trace is in the log, where no user's value belongs. A broken connection
 * to Kubernetes is no mistake, and could not be told there.
 */
export async function tellOfMistake<S extends Situation>(
  kind: KindReconciler<S>,
  key: ResourceKey,
  error: unknown,
  context: Context,
): Promise<void> {
  const object = kind.cacheIn(context.caches).get(key);
  if (!object || error instanceof KubernetesError) return;
  const name = error instanceof Error ? error.name : typeof error;
  const step = wait(
    'InternalError',
    `the operator made a mistake here (${name}), and tries again; its log has the details: please report them`,
  );
  const { status, metadata } = object;
  const conditions = conditionsOf(step, status?.conditions ?? [], metadata.generation, context.clock.now());
  await writeStatus(
    context.kubernetes,
    kind.type,
    object,
    { ...status, observedGeneration: metadata.generation, conditions },
    kind.cacheIn(context.caches),
  );
}
