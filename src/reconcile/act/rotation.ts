import { isOf } from '../connection/ownership.ts';
import { keyOf } from '../../runtime/index.ts';
import type { Account } from '../credentials/account.ts';
import type { Action } from '../step/action.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import { isEdit } from '../step/password-origin.ts';
import { handledIn } from '../connection/pending-password.ts';
import {
  confirmedPassword,
  connectionContent,
  passwordDigest,
  storedAfter,
  storedPassword,
  type StoredPassword,
} from '../connection/stored-password.ts';
import { provenance, type SecretIdentity } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import type { ObjectMemory, PendingPassword } from '../process/memory.ts';

/** A password on its way. */
export interface Rotation {
  readonly action: Extract<Action, { type: 'setPassword' }>;
  readonly identity: SecretIdentity;
  /** The connection Secret as it was read. */
  readonly current: SecretWithData | undefined;
  readonly account: Account;
  readonly context: Context;
}

/**
 * Whether the connection Secret has exactly this password from exactly this request. The same text from an earlier request is not enough: the cloud may have
 * accepted another password since, whose answer was lost.
 */
export function isPromoted(rotation: Rotation, origin: string, password: string): boolean {
  const { current } = rotation;
  return current !== undefined && password === confirmed(rotation) && (isEdit(origin) || handledIn(current) === origin);
}

/** A password, its origin, and the digest of the text in the connection Secret that it replaces. */
interface Chosen {
  readonly password: string;
  readonly origin: string;
  readonly replaced: string | undefined;
}

export function chosenIn(pending: SecretWithData, { action }: Rotation, password: string): Chosen {
  return { password, origin: handledIn(pending) ?? action.origin, replaced: provenance(pending, action.id).passwordDigest };
}

/** The connection Secret with a password that the cloud has. A newer text that somebody wrote into it stays, as the next request. */
export function promoted(rotation: Rotation, { password, origin, replaced }: Chosen): [SecretIdentity, Readonly<Record<string, string>>] {
  const { action, identity, context } = rotation;
  return [
    {
      ...identity,
      passwordHandled: isEdit(origin) ? undefined : origin,
      passwordDigest: passwordDigest(password, context.newId(), action.id),
    },
    connectionContent(action.connection, storedAfter(stored(rotation), password, replaced)),
  ];
}

/** The knowledge of this process about the pending password. A password that another process stored may have been sent by it. */
export function knownOf(pending: SecretWithData, rotation: Rotation): PendingPassword {
  const memory = memoryOf(rotation);
  const { uid } = pending.metadata;
  const origin = handledIn(pending) ?? rotation.action.origin;
  if (memory.pending?.uid === uid && memory.pending.origin === origin) return memory.pending;
  memory.passwordUnansweredAt = rotation.context.clock.now();
  memory.pending = { uid, origin, isSent: 'perhaps' };
  return memory.pending;
}

export function memoryOf({ identity: { owner }, context }: Rotation): ObjectMemory {
  return context.memory.of(owner.kind, keyOf(owner));
}

/** The password of this resource in the connection Secret. */
export function stored({ current, action }: Rotation): StoredPassword {
  return current && isOf(current, action.id) ? storedPassword(current) : { state: 'none' };
}

/** The password that the cloud has, as far as the connection Secret tells. */
export function confirmed(rotation: Rotation): string | undefined {
  return confirmedPassword(stored(rotation));
}
