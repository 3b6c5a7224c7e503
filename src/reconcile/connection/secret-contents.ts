import { createHmac, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { keyOf, type ObjectCache, type ResourceKey } from '../../runtime/index.ts';
import { connectionData, connectionIn } from './connection-data.ts';
import type { SecretWithData } from './connection-secret.ts';
import { confirmedPassword, connectionContent, storedPassword, type StoredPassword } from './stored-password.ts';
import { watched, type WatchedSecret } from './watched-secret.ts';

/** What is remembered of the content of a connection Secret: no password, and no more than the operator puts there itself. */
interface SecretContent {
  /** The values that are no secret, by key. */
  readonly values: Readonly<Record<string, string>>;
  readonly password: StoredPassword['state'];
  /** Tells this process alone whether the passwords that two Secrets confirm are the same; undefined when there is none. */
  readonly passwordDigest: string | undefined;
  /** The password that somebody wrote is shorter than {@link shortestPassword}. */
  readonly isTooShort: boolean;
  /** The URIs say what the other keys say, and there are no other keys. */
  readonly consistent: boolean;
}

interface Remembered {
  readonly version: string;
  readonly content: SecretContent;
}

/** A connection Secret of ours, as rules decide by it. Nothing in it is secret. */
export interface ConnectionSecret extends WatchedSecret, SecretContent {}

/**
 * What this process knows of the content of connection Secrets, each in exactly the version in which it was read or written. The cache has the metadata
 * alone: somebody else's Secret of our label is of any size, and its content is nobody's business here.
 */
export interface SecretContents {
  /** A Secret of the cache with its content: as it is remembered, else as it is read now, once for all who ask. Undefined when it is gone meanwhile. */
  of(secret: WatchedSecret): Promise<ConnectionSecret | undefined>;
  /** What a write of ours returned: it need not be read. */
  wrote(secret: SecretWithData): void;
}

/** Fewer characters are easily guessed, and would be found in every other word of a message that is cleaned of them. */
export const shortestPassword = 8;
/** A value that is longer is none of ours. */
const longestValue = 1_024;

/** @param cache what goes from it is forgotten */
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
  /** By key and version: what began before a version was heard of may be older than it. */
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
    isTooShort: stored.state === 'edited' && stored.password.length < shortestPassword,
    consistent: isDeepStrictEqual(data, connectionContent(connectionIn(data), stored)),
  };
}
