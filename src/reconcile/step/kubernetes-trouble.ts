import { onOneLine } from '../../cloud/redaction.ts';
import { KubernetesError } from '../../runtime/index.ts';
import { keep, wait, type Step, type Told } from './step.ts';

type Kept = Extract<Step, { type: 'keep' }>;

const remedy = "check the admission policies and webhooks of the cluster, and the operator's ClusterRole; tried again by itself";

/** Whether somebody else wrote in between: another resourceVersion, another object under the name, a name that was taken, or an object that is gone. */
export function isOvertaken(error: unknown): error is KubernetesError {
  return error instanceof KubernetesError && (error.kind === 'conflict' || error.kind === 'alreadyExists' || error.kind === 'notFound');
}

/** What is said of a refusal by Kubernetes, a webhook or a policy: which write, in whose words, and where to look. */
export function refusalByKubernetes(error: KubernetesError): Told {
  return wait('InternalError', `Kubernetes refuses to ${whatItSaid(error)}; ${remedy}`);
}

/**
 * The step of a visit that could not write. A refusal is told at once. A webhook that fails, or does not answer, may pass; so may what is refused while
 * the namespace is being deleted.
 */
export function hinderedBy(error: KubernetesError): Told | Kept {
  if (error.isRefusal && !error.namespaceTerminating) return refusalByKubernetes(error);
  return keep(wait('InternalError', `Kubernetes could not ${whatItSaid(error)}; ${remedy}`));
}

/** The step of a visit that somebody else was ahead of. That passes with the next look; where it does not, somebody does it each time. */
export function overtakenBy(error: KubernetesError): Kept {
  return overtakenAt(`Kubernetes could not ${whatItSaid(error)}`);
}

/** @param what was found to be another than it was seen to be */
export function overtakenAt(what: string): Kept {
  const rival = 'somebody else changes or removes it at the same time, each time';
  return keep(wait('InternalError', `${what}: ${rival}; look for a webhook or another controller that does; tried again by itself`));
}

function whatItSaid({ operation, status, kind, statusMessage }: KubernetesError): string {
  const detail = status === undefined ? kind : `HTTP ${status}`;
  return `${operation} (${detail})${statusMessage === undefined ? '' : `: "${onOneLine(statusMessage)}"`}`;
}
