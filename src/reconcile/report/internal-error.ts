import { KubernetesError, writeStatus, type ResourceKey } from '../../runtime/index.ts';
import { conditionsOf } from './report.ts';
import type { Context } from '../process/context.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import { failedWriteStep, isConflict, isPassing, conflictStep } from '../step/kubernetes-trouble.ts';
import { wait } from '../step/step.ts';

/**
 * Reports a visit that failed on its object, or in an event: a bug, a read or a status write that Kubernetes refuses, or a status write that always fails
 * or is always outdated. The stack trace is in the log, where no user's value may be. A broken connection to Kubernetes is not reported: it is no bug, and
 * the report could not be written.
 */
export async function reportInternalError<S extends Situation>(
  kind: KindReconciler<S>,
  key: ResourceKey,
  error: unknown,
  context: Context,
): Promise<void> {
  const object = context.caches.of(kind.type.kind).get(key);
  const message = messageOf(error);
  if (!object || message === undefined) return;
  const report = () => context.events.record(object, { type: 'Warning', reason: 'InternalError', message });
  // The database is as well as it was: a Ready object stays Ready.
  if (isPassing(error)) return report();
  const step = wait('InternalError', message);
  const { status, metadata } = object;
  const conditions = conditionsOf(step, status?.conditions ?? [], metadata.generation, context.clock.now());
  const changed = { ...status, observedGeneration: metadata.generation, conditions };
  try {
    await writeStatus(context.kubernetes, kind.type, object, changed, context.caches.of(kind.type.kind));
  } catch {
    // If the status cannot be written, an event may be.
    report();
  }
}

function messageOf(error: unknown): string | undefined {
  if (!(error instanceof KubernetesError)) {
    const name = error instanceof Error ? error.name : typeof error;
    return `the operator made a mistake here (${name}), and tries again; its log has the details: please report them`;
  }
  if (isPassing(error) || (error.isRefusal && !error.namespaceTerminating)) {
    const step = failedWriteStep(error);
    return step.type === 'keep' ? step.delayedReport.message : step.message;
  }
  return isConflict(error) ? conflictStep(error).delayedReport.message : undefined;
}
