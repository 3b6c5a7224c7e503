import { createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { keyOf, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';
import { connectionData, connectionIn } from './connection-data.ts';
import type { SecretWithData } from '../../resources/connection-secret.ts';
import { confirmedPassword, connectionContent, storedPassword } from './stored-password.ts';
import type { ConnectionSecret, PasswordLength, SecretContent, SecretContents } from '../situation/observed-secret.ts';
import { watched, type WatchedSecret } from '../../resources/watched-secret.ts';

interface Remembered {
  readonly version: string;
  readonly content: SecretContent;
}

/** A shorter password is easily guessed. It would also be found in many other words of a message that is cleaned of it. */
export const shortestPassword = 8;
/** A longer one would take the memory of the operator, which cleans messages of each. */
export const longestPassword = 1_024;
/** The operator writes no longer value. */
const longestValue = 1_024;

/** Whether a password that somebody chose has a length that is sent. */
export function lengthOf({ length }: string): PasswordLength {
  return length < shortestPassword ? 'tooShort' : length > longestPassword ? 'tooLong' : 'fits';
}

/** @param cache contents of a Secret are forgotten when it leaves this cache */
export function secretContents(
  cache: ObjectCache<WatchedSecret>,
  read: (key: ResourceKey) => Promise<SecretWithData | undefined>,
): SecretContents {
  const contents = new Map<ResourceKey, Remembered>();
  const remember = (key: ResourceKey, secret: SecretWithData): ConnectionSecret => {
    const content = contentOf(secret);
    contents.set(key, { version: versionOf(secret), content });
    return { ...watched(secret), ...content };
  };
  /** Reads by key and version: a read that began before a version was known may return an older one. */
  const reading = new Map<string, Promise<ConnectionSecret | undefined>>();
  const learn = async (key: ResourceKey): Promise<ConnectionSecret | undefined> => {
    const live = await read(key);
    return live && remember(key, live);
  };
  cache.onChange(({ type, object }) => {
    if (type === 'deleted') contents.delete(keyOf(object));
  });
  return {
    async of(secret) {
      const key = keyOf(secret);
      const known = contents.get(key);
      if (known?.version === versionOf(secret)) return { ...secret, ...known.content };
      const version = `${key} ${versionOf(secret)}`;
      const asked = reading.get(version) ?? learn(key).finally(() => reading.delete(version));
      reading.set(version, asked);
      return asked;
    },
    wrote: (secret) => void remember(keyOf(secret), secret),
  };
}

function versionOf({ metadata: { uid, resourceVersion } }: WatchedSecret): string {
  return `${uid} ${resourceVersion}`;
}

export function withoutSecrets(secret: SecretWithData): ConnectionSecret {
  return { ...watched(secret), ...contentOf(secret) };
}

const knownKeys: ReadonlySet<string> = new Set(
  Object.keys(
    connectionData(
      { username: '', database: '', direct: { host: '', port: 0 }, pooler: { host: '', port: 0 }, vpc: { host: '', port: 0 } },
      undefined,
    ),
  ),
);
const digestKey = randomBytes(32);

function contentOf(secret: SecretWithData): SecretContent {
  const { data } = secret;
  const stored = storedPassword(secret);
  const confirmed = confirmedPassword(stored);
  return {
    values: Object.fromEntries(Object.entries(data).filter(([key, { length }]) => knownKeys.has(key) && length <= longestValue)),
    password: stored.state,
    passwordDigest: confirmed === undefined ? undefined : createHmac('sha256', digestKey).update(confirmed).digest('base64url'),
    length: stored.state === 'edited' ? lengthOf(stored.password) : 'fits',
    consistent: isDeepStrictEqual(data, connectionContent(connectionIn(data), stored)),
  };
}
