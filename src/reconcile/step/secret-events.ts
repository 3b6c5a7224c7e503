import { syncedOf } from '../../resources/condition.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { isConflict, KubernetesError, type EventRecorder, type KubernetesObject, type Requeue } from '../../runtime/index.ts';
import { intervals } from './intervals.ts';
import { refusalByKubernetes } from './kubernetes-trouble.ts';

type Events = Pick<EventRecorder, 'record'>;

export type ReportHold = (secret: KubernetesObject, holder: ManagedObject) => void;

/**
 * Reports each hold once, however often the Secret is visited.
 * @param advice how the hold ends
 */
export function holdReporter(events: Events, advice: string): ReportHold {
  // A cache returns the same Secret until it changes, or another process begins.
  const told = new WeakSet<KubernetesObject>();
  return (secret, holder) => {
    if (told.has(secret)) return;
    told.add(secret);
    const { kind, metadata } = holder;
    const message = `the deletion of this Secret waits for ${kind}/${metadata.name} (${syncedOf(holder)?.reason ?? 'Pending'}): ${advice}`;
    recordAbout(secret, events, { type: 'Normal', reason: 'DeletionBlocked', message, isLasting: true });
  };
}

/** Reports a refusal by Kubernetes as an event on the Secret. The controller does logging and back-off. */
export async function withRefusalReported<T>(secret: KubernetesObject | undefined, events: Events, visit: () => Promise<T>): Promise<T> {
  try {
    return await visit();
  } catch (error) {
    if (secret && error instanceof KubernetesError && error.isRefusal)
      recordAbout(secret, events, { type: 'Warning', reason: 'InternalError', message: refusalByKubernetes(error).message });
    throw error;
  }
}

/** Waits for a write to a Secret. If another client changed or removed the Secret meanwhile, it is visited again. */
export async function againIfChanged(write: Promise<unknown>): Promise<Requeue> {
  try {
    await write;
    return 'forget';
  } catch (error) {
    if (isConflict(error)) return { afterMs: intervals.afterConflictMs };
    throw error;
  }
}

function recordAbout({ metadata }: KubernetesObject, events: Events, event: Parameters<EventRecorder['record']>[1]): void {
  events.record({ apiVersion: 'v1', kind: 'Secret', metadata }, event);
}
