import { formsOf } from '../../cloud/redaction.ts';
import { KubernetesError } from '../../runtime/kubernetes-client.ts';
import { stall, type Step } from '../step.ts';
import { secretKeys } from './connection-data.ts';

const lookAgainMs = 60_000;

/** Kubernetes does not take a Secret as it would have to be: labels that are none, a quota, an admission policy, an immutable Secret. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
  readonly secret: string;
  readonly words: string | undefined;

  /** @param data what was to be stored: words that hold a password of it, in whatever form, are not repeated */
  constructor(secret: string, cause: KubernetesError, data: Readonly<Record<string, string>>) {
    super(`Secret "${secret}" was refused (${cause.kind})`);
    this.secret = secret;
    const secrets = Object.entries(data).flatMap(([key, value]) => (secretKeys.has(key) ? formsOf(value) : []));
    this.words = secrets.some((form) => cause.statusMessage?.includes(form)) ? undefined : cause.statusMessage;
  }
}

/** Runs a write of a Secret. @throws {SecretRefused} when trying again would not help; every other error as it is */
export async function unlessRefused<T>(secret: string, data: Readonly<Record<string, string>>, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isRefusal = error instanceof KubernetesError && (error.status === 422 || error.status === 403);
    throw isRefusal ? new SecretRefused(secret, error, data) : error;
  }
}

export function refusedStep({ secret, words }: SecretRefused): Extract<Step, { type: 'stall' }> {
  return stall(
    'SecretConflict',
    `Kubernetes refuses Secret "${secret}"${words === undefined ? '' : `: "${words}"`}; correct spec.connectionSecret, or what refuses it`,
    { retryAfterMs: lookAgainMs },
  );
}

/** A Secret of that name is in the way, and it is not touched. */
export function inTheWay(secret: string): Extract<Step, { type: 'stall' }> {
  return stall(
    'SecretConflict',
    `Secret "${secret}" exists and was not made for this object: choose another spec.connectionSecret.name, or delete that Secret`,
    { retryAfterMs: lookAgainMs },
  );
}
