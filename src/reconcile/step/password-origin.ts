/** Milliseconds in which a password call without an answer may still be carried out. No different password is sent before. (docs/safety.md, Passwords) */
export const unansweredMs = 160_000;

/** A key of a user's Secret that holds a password. */
export interface PasswordSource {
  readonly name: string;
  readonly key: string;
}

/** The origin of a password that the operator sets because none is known. */
export const initialOrigin = 'initial';

export function rotationOrigin(rotation: string): string {
  return `rotation ${rotation}`;
}

/** The origin of a password in a user's Secret. It differs for each version of the Secret. */
export function sourceOrigin(
  { name, key }: PasswordSource,
  { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
): string {
  return `secret ${name}/${key} ${uid} ${resourceVersion}`;
}
