import { onOneLine } from '../../cloud/redaction.ts';
import { KubernetesError, type EventRecorder } from '../../runtime/index.ts';
import { keep, wait, type Step, type WaitOrStall } from './step.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';

type Kept = Extract<Step, { type: 'keep' }>;

const remedy = "check the admission policies and webhooks of the cluster, and the operator's ClusterRole; tried again by itself";

/** Whether another writer was faster: the resourceVersion differs, another object has the name, the name is taken, or the object is gone. */
export function isConflict(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'alreadyExists' || error.kind === 'notFound');
}

/** Whether the API server, or a webhook that it asks, failed. It usually recovers. */
export function isPassing(error: unknown): boolean {
  return error instanceof KubernetesError && error.kind === 'server';
}

/** The step for a refusal by Kubernetes, a webhook or a policy: the write, the message of the refusal, and where to look. */
export function refusalByKubernetes(error: KubernetesError): WaitOrStall {
  return wait('InternalError', `Kubernetes refuses to ${describeError(error)}; ${remedy}`);
}

/**
 * The step of a visit that could not write. A refusal is reported at once. A failing webhook may recover, and a refusal in a terminating namespace will end,
 * so these are reported only if they last.
 */
export function failedWriteStep(error: KubernetesError): WaitOrStall | Kept {
  if (error.isRefusal && !error.namespaceTerminating) return refusalByKubernetes(error);
  return keep(wait('InternalError', `Kubernetes could not ${describeError(error)}; ${remedy}`));
}

/** The step of a visit whose write was outdated. The next visit usually succeeds; if not, another writer interferes each time. */
export function conflictStep(error: KubernetesError): Kept {
  return conflictAt(`Kubernetes could not ${describeError(error)}`);
}

/** @param what the part that had changed since it was read */
export function conflictAt(what: string): Kept {
  const rival = 'somebody else changes or removes it at the same time, each time';
  return keep(wait('InternalError', `${what}: ${rival}; look for a webhook or another controller that does; tried again by itself`));
}

function describeError({ operation, status, kind, statusMessage }: KubernetesError): string {
  const detail = status === undefined ? kind : `HTTP ${status}`;
  return `${operation} (${detail})${statusMessage === undefined ? '' : `: "${onOneLine(statusMessage)}"`}`;
}

/** Runs a visit to a Secret. Reports a refusal by Kubernetes as an event on the Secret. The controller does logging and back-off. */
export async function withRefusalReported<T>(
  secret: Pick<SecretMetadata, 'metadata'> | undefined,
  events: EventRecorder,
  visit: () => Promise<T>,
): Promise<T> {
  try {
    return await visit();
  } catch (error) {
    if (secret && error instanceof KubernetesError && error.isRefusal) {
      const regarding = { apiVersion: 'v1', kind: 'Secret', metadata: secret.metadata };
      events.record(regarding, { type: 'Warning', reason: 'InternalError', message: refusalByKubernetes(error).message });
    }
    throw error;
  }
}
