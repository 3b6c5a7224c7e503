import type { CompleteEndpoint } from '../../cloud/wire/endpoint.ts';

/** An unknown endpoint has no keys in the Secret. */
export interface Connection {
  readonly username: string;
  readonly database: string;
  readonly direct: CompleteEndpoint | undefined;
  readonly pooler: CompleteEndpoint | undefined;
  readonly vpc: CompleteEndpoint | undefined;
}

/** A password in the ledger: the name of the entry, the resource that the entry must still be about, and the number of the password. */
export interface LedgerPassword {
  readonly entry: string;
  readonly id: string;
  readonly number: number;
}

/** The inputs of a connection Secret: everything but the password itself. */
export interface ConnectionWrite {
  readonly name: string;
  readonly resource: string;
  /** In the spec. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly connection: Connection;
  /** Undefined while no password is known: the Secret then keeps the password that it has. */
  readonly password: LedgerPassword | undefined;
}

/**
 * Milliseconds in which a password call without an answer may still be carried out. No different password is
 * sent before. (docs/safety.md, Passwords)
 */
export const unansweredMs = 160_000;

/**
 * The place of a password that a user chose: a Secret in the namespace of the object, and a key in
 * it.
 */
export interface PasswordSource {
  readonly name: string;
  readonly key: string;
}

/** The origin of a password that the operator sets because none is known. */
export const initialOrigin = 'initial';

/** The origin of a password that a rotation text in the spec requests. */
export function rotationOrigin(rotation: string): string {
  return `rotation ${rotation}`;
}

/** The origin of a password in a user's Secret. Each version of the Secret is another origin. */
export function sourceOrigin(
  { name, key }: PasswordSource,
  { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
): string {
  return `secret ${name}/${key} ${uid} ${resourceVersion}`;
}
