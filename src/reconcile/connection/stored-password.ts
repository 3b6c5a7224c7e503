import { createHmac } from 'node:crypto';
import { connectionData, passwordIn } from './connection-data.ts';
import type { Connection } from '../step/connection.ts';
import { connectionAnnotations, type SecretWithData } from '../../resources/connection-secret.ts';

/** The password in a connection Secret. The digest beside it identifies the password that the cloud has. */
export type StoredPassword =
  | { readonly state: 'none' }
  /** The cloud has this password. */
  | { readonly state: 'confirmed'; readonly password: string }
  /** There is no digest yet, so nothing indicates that the cloud has another password. */
  | { readonly state: 'unmarked'; readonly password: string }
  /** Somebody wrote another password. `confirmed`: the password that the cloud has, if a URI still contains it. */
  | { readonly state: 'edited'; readonly password: string; readonly confirmed: string | undefined };

export function storedPassword({ metadata, data }: Pick<SecretWithData, 'metadata' | 'data'>): StoredPassword {
  const { password } = data;
  if (password === undefined || password === '') return { state: 'none' };
  const { [connectionAnnotations.passwordDigest]: digest, [connectionAnnotations.id]: id } = metadata.annotations ?? {};
  if (digest === undefined) return { state: 'unmarked', password };
  const resource = resourceOfDigest(digest);
  const isRelabelled = id !== undefined && resource !== undefined && resource !== id;
  // Somebody made the Secret of another resource that of this one, whose password in the cloud is not known to be the same.
  if (isRelabelled) return { state: 'edited', password, confirmed: undefined };
  if (isDigestOf(digest, password)) return { state: 'confirmed', password };
  const before = passwordIn(data);
  return { state: 'edited', password, confirmed: before !== undefined && isDigestOf(digest, before) ? before : undefined };
}

export function hasPassword(secret: Pick<SecretWithData, 'metadata' | 'data'>): boolean {
  return storedPassword(secret).state !== 'none';
}

/** The password that the cloud has, as far as the Secret tells. */
export function confirmedPassword(stored: StoredPassword): string | undefined {
  switch (stored.state) {
    case 'none':
      return undefined;
    case 'confirmed':
    case 'unmarked':
      return stored.password;
    case 'edited':
      return stored.confirmed;
  }
}

/**
 * The password in a connection Secret once the cloud has another one. A text that somebody wrote there since that one was chosen stays, as the next request.
 * @param replaced the digest of the text that was there when it was chosen; undefined if there was none
 */
export function storedAfter(before: StoredPassword, password: string, replaced: string | undefined): StoredPassword {
  const isNext =
    before.state === 'edited' && before.password !== password && !(replaced !== undefined && isDigestOf(replaced, before.password));
  return isNext ? { state: 'edited', password: before.password, confirmed: password } : { state: 'confirmed', password };
}

/** The content of a connection Secret. An edited password stays as it was written; the URIs keep working until the cloud has it. */
export function connectionContent(connection: Connection, stored: StoredPassword): Record<string, string> {
  if (stored.state === 'none') return connectionData(connection, undefined);
  const data = connectionData(connection, confirmedPassword(stored) ?? stored.password);
  return { ...data, password: stored.password };
}

/** `<salt> <HMAC-SHA-256>`. Identifies a password without revealing it. With an id, the salt ends in that of the resource whose password it is. */
export function passwordDigest(password: string, salt: string, id?: string): string {
  return digestOf(password, id === undefined ? salt : `${salt}:${id}`);
}

/** The resource whose password a digest identifies, if it says so: one of an earlier build does not. */
export function resourceOfDigest(digest: string | undefined): string | undefined {
  const [, ...id] = saltOf(digest ?? '').split(':');
  return id.length === 0 ? undefined : id.join(':');
}

function digestOf(password: string, salt: string): string {
  return `${salt} ${createHmac('sha256', salt).update(password).digest('base64url')}`;
}

function saltOf(digest: string): string {
  return digest.slice(0, Math.max(digest.lastIndexOf(' '), 0));
}

function isDigestOf(digest: string, password: string): boolean {
  return digest === digestOf(password, saltOf(digest));
}
