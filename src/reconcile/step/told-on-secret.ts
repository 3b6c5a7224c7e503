import { KubernetesError, type EventRecorder } from '../../runtime/index.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import { refusalByKubernetes } from './kubernetes-trouble.ts';

/** Runs a visit to a Secret. Reports a refusal by Kubernetes as an event on the Secret. The controller does logging and back-off. */
export async function toldOnSecret<T>(
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
