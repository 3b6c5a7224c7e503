import type { Endpoint } from '../../cloud/wire/endpoint.ts';
import { passwordKeys } from '../../resources/ledger-entry.ts';
import type { PasswordLength } from '../situation/observed-resource.ts';
import type { Connection } from '../step/connection.ts';

const secretKeys: ReadonlySet<string> = new Set(['password', 'uri', 'pooler-uri', 'vpc-uri', ...Object.values(passwordKeys)]);

export function isSecretKey(key: string): boolean {
  return secretKeys.has(key);
}

/** A shorter password is easily guessed, and is found in many other words of a message that is cleaned of it. */
export const shortestPassword = 8;
/** A longer password would take too much memory: the operator cleans its messages of each password. */
export const longestPassword = 1_024;

/** Whether the operator sends a chosen password of this length. */
export function lengthOf({ length }: string): PasswordLength {
  return length < shortestPassword ? 'tooShort' : length > longestPassword ? 'tooLong' : 'fits';
}

const sslmode = 'require';

/**
 * The content of a connection Secret, after servicebinding.io: `type`, `provider`, `host`, `port`, `username`,
 * `password`, `database`, `sslmode`, `uri` (percent-encoded), `jdbc-url` (without credentials), and the same
 * for a pooler and a VPC. Without a password the keys that hold it are left out.
 */
export function connectionData(connection: Connection, password: string | undefined): Record<string, string> {
  return {
    type: 'postgresql',
    provider: 'managed-db',
    username: connection.username,
    database: connection.database,
    sslmode,
    ...(password === undefined ? {} : { password }),
    ...addressData('', connection.direct, connection, password),
    ...addressData('pooler-', connection.pooler, connection, password),
    ...addressData('vpc-', connection.vpc, connection, password),
  };
}

function addressData(
  prefix: '' | 'pooler-' | 'vpc-',
  endpoint: Endpoint | undefined,
  { username, database }: Connection,
  password: string | undefined,
): Record<string, string> {
  if (endpoint?.host === undefined || endpoint.port === undefined) return {};
  const address = `${bracketed(endpoint.host)}:${endpoint.port}/${encodeURIComponent(database)}`;
  return {
    [`${prefix}host`]: endpoint.host,
    [`${prefix}port`]: String(endpoint.port),
    ...(password === undefined
      ? {}
      : { [`${prefix}uri`]: `postgresql://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${address}?sslmode=${sslmode}` }),
    ...(prefix === 'vpc-' ? {} : { [`${prefix}jdbc-url`]: `jdbc:postgresql://${address}?sslmode=${sslmode}` }),
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

const anywhere: Endpoint = { host: 'host', port: 0 };
export const connectionKeys: readonly string[] = Object.keys(
  connectionData({ username: '', database: '', direct: anywhere, pooler: anywhere, vpc: anywhere }, 'password'),
);

const longestName = 253;
const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

export function isSecretName(name: string): boolean {
  return name.length <= longestName && dnsName.test(name);
}
