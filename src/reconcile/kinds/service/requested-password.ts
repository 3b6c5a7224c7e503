import { connectionLabel, credentialsLabel } from '../../../resources/annotations.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import { resourceKey } from '../../../runtime/index.ts';
import { lengthOf } from '../../connection/projection.ts';
import { rotationOrigin, sourceOrigin, type PasswordSource } from '../../step/connection.ts';
import { readSecret } from '../../connection/observe-connection.ts';
import type { View } from '../../process/context.ts';
import type { PasswordLength } from '../../situation/situation.ts';

/** The password that the spec requests, with its origin: a text that changes with each request for another password. */
export type RequestedPassword =
  | { readonly state: 'asItIs' }
  | { readonly state: 'waiting'; readonly message: string }
  | { readonly state: 'refused'; readonly message: string }
  | { readonly state: 'rotated'; readonly origin: string }
  /** The user's Secret has the password. `isWatched`: changes of the Secret wake this object. */
  | {
      readonly state: 'given';
      readonly origin: string;
      readonly source: PasswordSource;
      readonly isWatched: boolean;
      readonly length: PasswordLength;
    };

/**
 * Reads the user's Secret only if something about it is new, and does not store its content.
 * @param handled the request that the present password answers
 */
export async function requestedPassword(object: ManagedService, handled: string | undefined, context: View): Promise<RequestedPassword> {
  const { rotation, secretRef } = object.spec.password ?? {};
  if (rotation !== undefined) return { state: 'rotated', origin: rotationOrigin(rotation) };
  if (!secretRef) return { state: 'asItIs' };
  const { namespace } = object.metadata;
  const { name, key } = secretRef;
  const reference = `spec.password.secretRef "${name}"`;
  // Services that take their passwords from each other would cause new passwords forever.
  if (context.caches.connectionSecrets.get(resourceKey(namespace, name)))
    return { state: 'refused', message: `${reference} is a connection Secret (${connectionLabel}): name a Secret of your own` };
  const watched = context.caches.credentialsSecrets.get(resourceKey(namespace, name));
  if (watched) {
    const origin = sourceOrigin(secretRef, watched.metadata);
    if (handled === origin) return { state: 'given', origin, source: { name, key }, isWatched: true, length: 'fits' };
  }
  const source = await readSecret(namespace, name, context);
  if (!source)
    return {
      state: 'waiting',
      message: `${reference} not found in namespace "${namespace}": create a Secret of that name with the key ${key}`,
    };
  const given = source.data[key];
  if (!given)
    return { state: 'waiting', message: `${reference} has no key ${key}: put the password there, or name another key in secretRef.key` };
  return {
    state: 'given',
    origin: sourceOrigin(secretRef, source.metadata),
    source: { name, key },
    isWatched: source.metadata.labels?.[credentialsLabel] !== undefined,
    length: lengthOf(given),
  };
}
