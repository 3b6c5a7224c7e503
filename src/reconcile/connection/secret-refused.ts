import { formsOf } from '../../cloud/redaction.ts';
import { KubernetesError } from '../../runtime/index.ts';
import { cutToFit, fewestQuoted, listed } from '../step/short-message.ts';
import { askPerson, type Stall } from '../step/step.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';

/** Kubernetes refused a Secret: invalid labels, a quota, a webhook or a policy, or an immutable Secret. */
export class SecretRefused extends Error {
  override readonly name = 'SecretRefused';
  readonly secret: string;
  readonly kubernetesMessage: string | undefined;

  /** @param password in the refused Secret. A message that contains it, in any encoding, is not repeated */
  constructor(secret: string, cause: KubernetesError, password: string | undefined) {
    super(`Secret "${secret}" was refused (${cause.kind})`);
    this.secret = secret;
    const secrets = password === undefined ? [] : formsOf(password);
    this.kubernetesMessage = secrets.some((form) => cause.statusMessage?.includes(form)) ? undefined : cause.statusMessage;
  }
}

/** The name belongs to another Secret: of another owner, or of another resource of the same object, such as a retained resource. */
export class SecretTaken extends Error {
  override readonly name = 'SecretTaken';
  /** Without its content. */
  readonly secret: WatchedSecret;

  constructor({ metadata }: WatchedSecret) {
    super(`Secret "${metadata.name}" was not made for this resource`);
    this.secret = { metadata };
  }
}

/** Runs a write of a Secret. @throws {SecretRefused} when a person can correct it, and a retry would not help; any other error unchanged */
export async function unlessRefused<T>(secret: string, password: string | undefined, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    throw error instanceof KubernetesError && error.isRefusal && !error.namespaceTerminating
      ? new SecretRefused(secret, error, password)
      : error;
  }
}

function secretConflict(message: string): Stall {
  return askPerson('SecretConflict', message);
}

export function refusedStep({ secret, kubernetesMessage }: SecretRefused): Stall {
  const problem = `Kubernetes refuses Secret "${secret}"`;
  const advice = '; correct spec.connectionSecret or the refusing policy, or delete an immutable Secret';
  const why =
    kubernetesMessage === undefined ? '' : `: "${cutToFit(kubernetesMessage, `${problem}: ""${advice}`, { fewest: fewestQuoted })}"`;
  return secretConflict(problem + why + advice);
}

/**
 * A Secret that the operator did not write for this object or its resource has the name.
 * @param owner the object as text, such as `ManagedService/orders`
 */
export function nameTaken({ metadata: { name, annotations } }: WatchedSecret, owner: string): Stall {
  const whose = annotations?.[connectionAnnotations.owner];
  if (whose === owner)
    return secretConflict(
      `Secret "${name}" has the password of an earlier database of this name: choose another spec.connectionSecret.name`,
    );
  const made = whose === undefined ? 'was not made for this object' : `was made for ${whose}`;
  return secretConflict(`Secret "${name}" exists and ${made}: choose another spec.connectionSecret.name, or delete that Secret`);
}

export function invalidName(name: string): Stall {
  return secretConflict(`spec.connectionSecret.name "${name}" is not a valid Secret name: choose another name`);
}

/** The operator waits until the foreign finalizers are gone. */
export function heldBy(secret: string, holders: readonly string[]): Stall {
  return secretConflict(
    `Secret "${secret}" is being deleted and held by the finalizer ${listed(holders)}: remove that finalizer; the operator then recreates the Secret`,
  );
}

/** The ledger was restored from a backup: its password is older than that of the Secret. */
export function newerThanLedger(secret: string): Stall {
  return secretConflict(
    `Secret "${secret}" has a newer password than the ledger: set a new text in spec.password.rotation, or delete the Secret to have the older password`,
  );
}
