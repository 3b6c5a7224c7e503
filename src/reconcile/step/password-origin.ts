/**
 * Milliseconds in which a password call without an answer may still be carried out. No different password is
 * sent before. (docs/safety.md, Passwords)
 */
export const unansweredMs = 160_000;

export interface PasswordSource {
  readonly name: string;
  readonly key: string;
}

/** The origin of a password that the operator sets because none is known. */
export const initialOrigin = 'initial';

export function rotationOrigin(rotation: string): string {
  return `rotation ${rotation}`;
}

/** Differs for each version of the user's Secret. */
export function sourceOrigin(
  { name, key }: PasswordSource,
  { uid, resourceVersion }: { readonly uid: string; readonly resourceVersion: string },
): string {
  return `secret ${name}/${key} ${uid} ${resourceVersion}`;
}
