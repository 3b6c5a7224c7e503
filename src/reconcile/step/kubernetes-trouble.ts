import { onOneLine } from '../../cloud/redaction.ts';
import { KubernetesError } from '../../runtime/index.ts';
import { keep, wait, type Keep, type WaitOrStall } from './step.ts';

const elsewhere = 'look at the API server, and at the network between it and the operator';
/** Where to look. */
const remedies: Partial<Record<KubernetesError['kind'], string>> = {
  timeout: elsewhere,
  network: elsewhere,
  tooManyRequests: 'look at the load of the API server, and at its flow control (PriorityLevelConfigurations)',
  unauthorized: "look at the ServiceAccount of the operator, and at the API server's log",
  unreadable: 'look at that object; another version of the operator, or another program, may have written it',
};
const otherwise = "check the admission policies and webhooks of the cluster, and the operator's ClusterRole";

function remedyFor({ kind, annotationsTooLong }: KubernetesError): string {
  if (annotationsTooLong) return 'remove annotations from the object: all of them together may have 256 KiB; tried again by itself';
  return `${remedies[kind] ?? otherwise}; tried again by itself`;
}

/**
 * The error for a write whose reply does not show it: a mutating webhook or policy changed it on its way.
 * @param what the part that is not as it was written
 */
export function altered(operation: string, what: string): KubernetesError {
  const statusMessage = `it succeeds, but ${what} is not kept as written: a mutating webhook or policy changes it`;
  return new KubernetesError({ operation, kind: 'altered', statusMessage });
}

/** The error for an object that has changed since it was seen. */
export function overtaken(operation: string): KubernetesError {
  return new KubernetesError({ operation, kind: 'conflict', statusMessage: 'it has changed' });
}

/** Whether a failed call to the API server may succeed later without any change. A refusal does not, unless its namespace is being deleted. */
export function isPassing(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (!error.isRefusal || error.namespaceTerminating);
}

/** The step for a refusal by Kubernetes, a webhook or a policy: the write, the message of the refusal, and where to look. */
export function refusalByKubernetes(error: KubernetesError): WaitOrStall {
  return wait('InternalError', `Kubernetes refuses to ${describeError(error)}; ${remedyFor(error)}`);
}

/**
 * The step of a visit that could not write, or not read. A refusal is reported at once. A failing webhook may recover, and a refusal in a terminating namespace will end,
 * so these are reported only if they last.
 */
export function failedWriteStep(error: KubernetesError): WaitOrStall | Keep {
  if (!isPassing(error)) return refusalByKubernetes(error);
  return keep(wait('InternalError', `Kubernetes could not ${describeError(error)}; ${remedyFor(error)}`));
}

/** The step of a visit whose write was outdated. The next visit usually succeeds; if not, another writer interferes each time. */
export function conflictStep(error: KubernetesError): Keep {
  return conflictAt(`Kubernetes could not ${describeError(error)}`);
}

/** @param what the part that had changed since it was read */
export function conflictAt(what: string): Keep {
  const rival = 'somebody else changes or removes it at the same time, each time';
  return keep(wait('InternalError', `${what}: ${rival}; look for a webhook or another controller that does; tried again by itself`));
}

function describeError({ operation, status, kind, statusMessage }: KubernetesError): string {
  const detail = status === undefined ? kind : `HTTP ${status}`;
  return `${operation} (${detail})${statusMessage === undefined ? '' : `: "${onOneLine(statusMessage)}"`}`;
}
