import { onOneLine } from '../../cloud/redaction.ts';
import { KubernetesError } from '../../runtime/index.ts';
import { cutToFit, fewestQuoted } from './short-message.ts';
import { keep, wait, type Keep, type WaitOrStall } from './step.ts';

const elsewhere = 'check the API server and the network to it';
const remedies: Partial<Record<KubernetesError['kind'], string>> = {
  timeout: elsewhere,
  network: elsewhere,
  tooManyRequests: 'check the load and the flow control of the API server',
  unauthorized: "check the operator's ServiceAccount",
  unreadable: 'check that object, which another version or program may have written',
};
const otherwise = "check policies, webhooks and the operator's ClusterRole";

function remedyFor({ kind, annotationsTooLong }: KubernetesError): string {
  if (annotationsTooLong) return 'remove annotations from the object, which may have 256 KiB; the operator retries';
  return `${remedies[kind] ?? otherwise}; the operator retries`;
}

/**
 * The error for a write whose reply does not show it: a mutating webhook or policy changed it.
 * @param what the part that is not as it was written
 */
export function altered(operation: string, what: string): KubernetesError {
  const statusMessage = `${what} is not kept as written: a mutating webhook or policy changes it`;
  return new KubernetesError({ operation, kind: 'altered', statusMessage });
}

export function overtaken(operation: string): KubernetesError {
  return new KubernetesError({ operation, kind: 'conflict', statusMessage: 'it has changed' });
}

/**
 * Whether a failed call to the API server may succeed later without a change. A refusal does not, unless its
 * namespace is being deleted.
 */
export function isPassing(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (!error.isRefusal || error.namespaceTerminating);
}

export function refusalByKubernetes(error: KubernetesError): WaitOrStall {
  const { kind, operation, statusMessage } = error;
  const advice = `; ${remedyFor(error)}`;
  // The write succeeded.
  if (kind === 'altered') return wait('InternalError', `after "${operation}", ${statusMessage}${advice}`);
  return wait('InternalError', describeError('Kubernetes refuses to', error, advice));
}

/**
 * The step of a visit that could not write, or not read. A refusal is reported at once. A failing webhook may
 * recover, and a terminating namespace ends, so these are reported only if they last.
 */
export function failedWriteStep(error: KubernetesError): WaitOrStall | Keep {
  if (!isPassing(error)) return refusalByKubernetes(error);
  return keep(wait('InternalError', describeError('Kubernetes could not', error, `; ${remedyFor(error)}`)));
}

/** The next visit usually succeeds; if not, another writer interferes each time. */
export function conflictStep(error: KubernetesError): Keep {
  return keep(wait('InternalError', describeError('Kubernetes could not', error, rival)));
}

const rival = ' each time: look for a webhook or another controller that changes it; the operator retries';

/** @param what the part that had changed since it was read */
export function conflictAt(what: string): Keep {
  return keep(wait('InternalError', what + rival));
}

function describeError(verb: string, { operation, status, kind, statusMessage }: KubernetesError, advice: string): string {
  const trouble = `${verb} ${operation} (${status === undefined ? kind : `HTTP ${status}`})`;
  const words =
    statusMessage === undefined ? '' : `: "${cutToFit(onOneLine(statusMessage), `${trouble}: ""${advice}`, { fewest: fewestQuoted })}"`;
  return `${trouble}${words}${advice}`;
}
