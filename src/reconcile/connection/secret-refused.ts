import { quoteOf } from '../step/errors.ts';
import { askPerson, type Stall } from '../step/step.ts';
import { listed } from '../step/short-message.ts';
import { KubernetesError } from '../../runtime/index.ts';
import { formsOf } from '../../cloud/redaction.ts';
import {
  connectionAnnotations,
  secretNameOf,
  type Connected,
} from '../../resources/connection-secret.ts';
import { credentialsLabel } from '../../resources/annotations.ts';
import type { Kind } from '../../resources/managed-object.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { ownerText } from './projection.ts';

/** The connection Secret cannot be written until a person acts. */
export class SecretConflict extends Error {
  override readonly name = 'SecretConflict';
  readonly step: Stall;

  constructor(step: Stall) {
    super(step.message);
    this.step = step;
  }
}

/**
 * Runs a write of a Secret.
 * @throws {SecretConflict} when a person can correct it, and a retry would not help; any other
 * error unchanged
 */
export async function unlessRefused<T>(
  secret: string,
  password: string | undefined,
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write();
  } catch (error) {
    const isLasting =
      error instanceof KubernetesError && error.isRefusal && !error.namespaceTerminating;
    throw isLasting ? new SecretConflict(refused(secret, error, password)) : error;
  }
}

function secretConflict(message: string): Stall {
  return askPerson('SecretConflict', message);
}

/**
 * Kubernetes refused a Secret: invalid labels, a quota, a webhook or a policy, or an immutable Secret.
 * @param password in the refused Secret. A message that contains it, in any encoding, is not repeated
 */
function refused(
  secret: string,
  { statusMessage: words }: KubernetesError,
  password: string | undefined,
): Stall {
  const problem = `Kubernetes refuses Secret "${secret}"`;
  const hasPassword = password !== undefined; // otherwise, the Secret may have the only copy
  const advice = `; correct spec.connectionSecret or the refusing policy${hasPassword ? ', or delete an immutable Secret' : ''}`;
  const isSecret = hasPassword && formsOf(password).some((form) => words?.includes(form));
  if (words === undefined || isSecret) return secretConflict(problem + advice);
  return secretConflict(quoteOf(words) + problem + advice);
}

/**
 * A Secret that the operator did not write for this object or its resource has the name.
 * @param object the object whose connection Secret it would be
 */
export function nameTaken(
  { metadata: { name, labels, annotations } }: WatchedSecret,
  object: SecretUser,
): Stall {
  const whose = annotations?.[connectionAnnotations.owner];
  if (whose === ownerText(object))
    return secretConflict(
      `Secret "${name}" has the password of an earlier database of this name: choose another spec.connectionSecret.name`,
    );
  if (labels?.[credentialsLabel] === 'true' || secretsReadFor(object).includes(name))
    return secretConflict(
      `Secret "${name}" has an API key or a password that the operator reads: choose another spec.connectionSecret.name`,
    );
  const made = whose === undefined ? 'was not made for this object' : `was made for ${whose}`;
  return secretConflict(
    `Secret "${name}" exists and ${made}: choose another spec.connectionSecret.name, or delete that Secret`,
  );
}

/** The part of an object that shows whether it needs a Secret. */
interface SecretUser {
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly credentialsRef?: NamedSecret | undefined;
    readonly password?: { readonly secretRef?: NamedSecret | undefined } | undefined;
  };
}

interface NamedSecret {
  readonly name: string;
}

/** The Secrets of the user in the spec of the object. */
function secretsReadFor({ spec }: SecretUser): readonly (string | undefined)[] {
  return [spec.credentialsRef?.name, spec.password?.secretRef?.name];
}

/** Another living object owns the Secret. Its spec names the Secret, or another Secret that it cannot have yet. */
export function ownedBy({ metadata: { name } }: WatchedSecret, owner: Connected): Stall {
  const other = ownerText(owner);
  const next = secretNameOf(owner);
  if (next === name)
    return secretConflict(
      `${other} owns Secret "${name}": choose another spec.connectionSecret.name here, or first in ${other}`,
    );
  return secretConflict(
    `${other} still owns Secret "${name}", since it has no Secret "${next}" yet: see its status, or choose an unused name there first`,
  );
}

/** The report of a name in the spec that Kubernetes accepts for no Secret. */
export function invalidName(name: string): Stall {
  return secretConflict(
    `spec.connectionSecret.name "${name}" is not a valid Secret name: choose another name`,
  );
}

/** The operator waits until the foreign finalizers are gone. */
export function heldByFinalizers(secret: string, holders: readonly string[]): Stall {
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
