import type { PasswordLength } from '../../src/reconcile/situation/observed-secret.ts';
import { connectionAnnotations } from '../../src/resources/connection-secret.ts';
import { ourSecret } from './our-secret.ts';
import type { GivenService } from './situation.ts';
import { actionLike } from './step-like.ts';
import type { ConnectionSecret } from '../../src/reconcile/situation/observed-secret.ts';

/** Short names for the tables of passwords. */

type Source = { readonly name: string; readonly key: string } | 'edited' | undefined;
type PartOfSecret = Parameters<typeof ourSecret>[0];

/** The step that sets a password. @param givesUp the origin of the pending password that it replaces */
export const set = (origin: string, source: Source, message: string, givesUp?: string): object => ({
  type: 'call',
  action: actionLike({ type: 'setPassword', id: 'svc-1', origin, source, ...(givesUp === undefined ? {} : { givesUp }) }),
  reason: 'RotatingPassword',
  message,
});

const handled = connectionAnnotations.passwordHandled;

/** The connection Secret with the origin of its password; undefined for an unknown origin. */
export function secretWith(
  origin: string | undefined,
  content: PartOfSecret = {},
  place: Parameters<typeof ourSecret>[1] = {},
): Pick<GivenService, 'secret'> {
  const seen = ourSecret(content, place);
  const { metadata } = seen.secret;
  const annotations = Object.entries({ ...metadata.annotations, [handled]: origin ?? '' }).filter(
    ([name]) => name !== handled || origin !== undefined,
  );
  const secret: ConnectionSecret = { ...seen.secret, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
  return { secret: { ...seen, secret } };
}

/** The Secret has no password. */
export const none = { password: 'none', passwordDigest: undefined } as const;
/** Somebody wrote another password into the Secret. */
export const edit = { password: 'edited', passwordDigest: undefined } as const;

/** `spec.password.rotation` is `r1`. */
export const rotate: GivenService = { password: { state: 'rotated', origin: 'rotation r1' } };
export const rotated = set('rotation r1', undefined, 'setting a new password, as spec.password.rotation asks');

/** `spec.password.secretRef` names the Secret `mine`. */
export const source = { name: 'mine', key: 'password' };
export const sourceOrigin = 'secret mine/password uid 7';
export const give = (more: { isWatched?: boolean; length?: PasswordLength } = {}): GivenService => ({
  password: { state: 'given', origin: sourceOrigin, source, isWatched: true, length: 'fits', ...more },
});
export const tooLong = (words: string) => ({
  ...tooShort(words),
  message: `${words} is not sent: it has more than 1024 characters; put a shorter one there, or set spec.password.rotation to have one made`,
});
export const tooShort = (words: string) => ({
  type: 'stall',
  reason: 'Rejected',
  message: `${words} is not sent: it has fewer than 8 characters; put a longer one there, or set spec.password.rotation to have one made`,
  retryAfterMs: 600_000,
});
/** That Secret does not exist. */
export const awaited: GivenService = { password: { state: 'waiting', message: 'spec.password.secretRef "mine" not found' } };
