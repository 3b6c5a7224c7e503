import { formsOf } from '../../cloud/redaction.ts';
import { KubernetesError } from '../../runtime/index.ts';
import { stall, type Stall } from '../step/step.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { isSecretKey } from './connection-data.ts';
import { intervals } from '../step/intervals.ts';

/** Kubernetes refused a Secret: invalid labels, a quota, a webhook or a policy, or an immutable Secret. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
  readonly secret: string;
  /** The namespace is being deleted and takes no new objects, so there is nothing to correct. */
  readonly namespaceTerminating: boolean;
  readonly kubernetesMessage: string | undefined;

  /** @param data the refused content. A message that contains a password of it, in any encoding, is not repeated */
  constructor(secret: string, cause: KubernetesError, data: Readonly<Record<string, string>>) {
    super(`Secret "${secret}" was refused (${cause.kind})`);
    this.secret = secret;
    this.namespaceTerminating = cause.namespaceTerminating;
    const secrets = Object.entries(data).flatMap(([key, value]) => (isSecretKey(key) ? formsOf(value) : []));
    this.kubernetesMessage = secrets.some((form) => cause.statusMessage?.includes(form)) ? undefined : cause.statusMessage;
  }
}

/** Another Secret has the name: of somebody else, or of another resource of the same object, such as one that was kept. */
export class SecretTaken extends Error {
  override readonly name = 'SecretTaken';
  /** Without its content. */
  readonly secret: WatchedSecret;

  constructor({ metadata }: WatchedSecret) {
    super(`Secret "${metadata.name}" was not made for this resource`);
    this.secret = { metadata };
  }
}

/** Runs a write of a Secret. @throws {SecretRefused} when a retry would not help; any other error unchanged */
export async function unlessRefused<T>(secret: string, data: Readonly<Record<string, string>>, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof KubernetesError && error.isRefusal ? new SecretRefused(secret, error, data) : error;
  }
}

/** Only a person can help, and the object is looked at again in a while. */
export function secretConflict(message: string): Stall {
  return stall('SecretConflict', message, { retryAfterMs: intervals.forPersonMs });
}

export function refusedStep({ secret, kubernetesMessage, namespaceTerminating }: SecretRefused): Stall {
  const remedy = namespaceTerminating
    ? 'the namespace is being deleted: nothing new can be made in it, and there is nothing to do'
    : 'correct spec.connectionSecret, or what refuses it';
  const why = kubernetesMessage === undefined ? '' : `: "${kubernetesMessage}"`;
  return secretConflict(`Kubernetes refuses Secret "${secret}"${why}; ${remedy}`);
}

/** A foreign Secret has the name, and is not touched. */
export function nameTaken(secret: string): Stall {
  return secretConflict(
    `Secret "${secret}" exists and was not made for this object: choose another spec.connectionSecret.name, or delete that Secret`,
  );
}

/** Kubernetes accepts no Secret of that name. */
export function invalidName(why: string): Stall {
  return secretConflict(`${why}: choose another spec.connectionSecret.name`);
}

/** A Secret of the operator is being deleted, and somebody else's finalizer holds it. The operator waits and does not write to it. */
export function heldBy(secret: string, holders: readonly string[]): Stall {
  return secretConflict(
    `Secret "${secret}" is being deleted, and the finalizer ${holders.join(', ')} holds it: have whoever set that finalizer take it off; another Secret is made in its place then`,
  );
}
