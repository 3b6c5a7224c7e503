import { earlierPassword } from './connection-data.ts';
import type { Context } from '../process/context.ts';
import { connectionAnnotations, type SecretWithData } from '../../resources/connection-secret.ts';
import { isCopy } from '../step/password-origin.ts';
import { isOfReplaced, isPending, isVanishing } from './ownership.ts';
import { SecretTaken } from './secret-refused.ts';
import { putSecret, readSecret, removeSecret, type SecretIdentity } from './store.ts';
import { recordIn } from '../record/record.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';

/** A password and its origin. */
interface Chosen {
  readonly password: string;
  readonly origin: string;
}

/** Prefix of the keys with the origins of earlier passwords. */
const earlierOrigin = 'earlier-origin-';

/**
 * Reads the Secret in the place of the pending one. One that waits there for the resource which this one replaced makes room.
 * @throws {SecretTaken} when that one goes, and somebody else holds it
 */
export async function readPending(
  { owner, pendingName, id }: Pick<SecretIdentity, 'owner' | 'pendingName' | 'id'>,
  context: Context,
): Promise<SecretWithData | undefined> {
  const found = await readSecret(owner.metadata.namespace, pendingName, context);
  if (!found || !isPending(found, owner) || !isOfReplaced(found, id, recordIn(owner))) return found;
  if (isVanishing(found)) throw new SecretTaken(found);
  await removeSecret(found, context);
  return undefined;
}

/**
 * Stores the next password to send, with a digest of the text in the connection Secret that it replaces. Keeps the replaced one beside it: the cloud may have
 * accepted that one from a process that crashed before it recorded so.
 */
export function putPending(
  found: SecretWithData | undefined,
  identity: SecretIdentity,
  { password, origin, passwordDigest }: Chosen & Pick<SecretIdentity, 'passwordDigest'>,
  context: Context,
): Promise<SecretWithData> {
  const before = found && chosenIn(found);
  return put(
    found,
    { ...identity, passwordDigest },
    { password, origin },
    [...(found ? earlierIn(found) : []), ...(before ? [before] : [])],
    context,
  );
}

/**
 * Keeps the present password of the cloud beside the pending one, while the connection Secret that has it is recreated. It becomes pending again, should the
 * cloud refuse the pending one.
 */
export async function keepBeside(pending: SecretWithData, identity: SecretIdentity, present: Chosen, context: Context): Promise<void> {
  const chosen = chosenIn(pending);
  const earlier = earlierIn(pending);
  if (!chosen || [chosen, ...earlier].some(({ password }) => password === present.password)) return;
  await put(pending, identity, chosen, [...earlier, present], context);
}

/** Drops a password that the cloud refused, and restores the previous one, if any. */
export async function dropPending(pending: SecretWithData, identity: SecretIdentity, context: Context): Promise<void> {
  const earlier = earlierIn(pending);
  const last = earlier.at(-1);
  if (last) await put(pending, identity, last, earlier.slice(0, -1), context);
  else await removeSecret(pending, context);
}

export function handledIn({ metadata }: WatchedSecret): string | undefined {
  return metadata.annotations?.[connectionAnnotations.passwordHandled];
}

/** Whether the pending Secret holds the copy of a Secret that is being recreated, and not a pending password. */
export function isBackupCopy(pending: WatchedSecret): boolean {
  return isCopy(handledIn(pending) ?? '');
}

function put(
  found: SecretWithData | undefined,
  identity: SecretIdentity,
  { password, origin }: Chosen,
  earlier: readonly Chosen[],
  context: Context,
): Promise<SecretWithData> {
  const pending: SecretIdentity = {
    ...identity,
    name: identity.pendingName,
    isPending: true,
    passwordHandled: origin,
    labels: {},
    annotations: {},
  };
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
