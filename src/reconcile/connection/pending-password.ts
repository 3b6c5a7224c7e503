import type { Context } from '../process/context.ts';
import { connectionAnnotations, type SecretWithData } from '../../resources/connection-secret.ts';
import { isCopy } from '../step/password-origin.ts';
import { pendingName } from './secret-name.ts';
import { putSecret, removeSecret, type SecretIdentity } from './store.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';

/** A password and where it came from. */
interface Chosen {
  readonly password: string;
  readonly origin: string;
}

/**
 * Keys of the pending Secret, with a number behind: passwords that gave way to the one in it, and that the cloud may have taken all the same. The newest
 * has the highest number.
 */
const earlierPassword = 'earlier-password-';
const earlierOrigin = 'earlier-origin-';

/**
 * Stores the next password to be sent. One that it takes the place of is kept beside it: the cloud may have answered it with success to a process that
 * died of it.
 */
export function putPending(
  found: SecretWithData | undefined,
  identity: SecretIdentity,
  { password, origin }: Chosen,
  context: Context,
): Promise<SecretWithData> {
  const before = found && chosenIn(found);
  return put(found, identity, { password, origin }, [...(found ? earlierIn(found) : []), ...(before ? [before] : [])], context);
}

/** Drops a password that the cloud refused. The one before it takes its place again, if there is one. */
export async function dropPending(pending: SecretWithData, identity: SecretIdentity, context: Context): Promise<void> {
  const earlier = earlierIn(pending);
  const last = earlier.at(-1);
  if (last) await put(pending, identity, last, earlier.slice(0, -1), context);
  else await removeSecret(pending, context);
}

export function handledIn({ metadata }: WatchedSecret): string | undefined {
  return metadata.annotations?.[connectionAnnotations.passwordHandled];
}

/** Whether it holds the content of a Secret that is made again, and not a password on its way. */
export function isKeptAside(pending: WatchedSecret): boolean {
  return isCopy(handledIn(pending) ?? '');
}

function put(
  found: SecretWithData | undefined,
  identity: SecretIdentity,
  { password, origin }: Chosen,
  earlier: readonly Chosen[],
  context: Context,
): Promise<SecretWithData> {
  const name = pendingName(identity.name);
  const pending: SecretIdentity = { ...identity, name, isPending: true, passwordHandled: origin, labels: {}, annotations: {} };
  const data: Record<string, string> = { password };
  for (const [index, each] of earlier.entries()) {
    data[`${earlierPassword}${index}`] = each.password;
    data[`${earlierOrigin}${index}`] = each.origin;
  }
  return putSecret(found, pending, data, context);
}

function chosenIn(secret: SecretWithData): Chosen | undefined {
  const { password } = secret.data;
  return password === undefined ? undefined : { password, origin: handledIn(secret) ?? '' };
}

function earlierIn({ data }: SecretWithData): readonly Chosen[] {
  const keys = Object.keys(data).filter((key) => key.startsWith(earlierPassword));
  const numbers = keys.map((key) => Number(key.slice(earlierPassword.length))).toSorted((a, b) => a - b);
  return numbers.map((number) => ({
    password: data[`${earlierPassword}${number}`] ?? '',
    origin: data[`${earlierOrigin}${number}`] ?? '',
  }));
}
