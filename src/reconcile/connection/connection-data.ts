import type { Endpoint } from '../../cloud/wire/endpoint.ts';
import type { Connection } from '../step/connection.ts';

const secretKeys: ReadonlySet<string> = new Set(['password', 'uri', 'pooler-uri', 'vpc-uri']);

/**
 * Prefix of keys in the pending Secret, followed by a number: earlier passwords that the present one replaced, and that the cloud may have set nevertheless.
 * The newest has the highest number.
 */
export const earlierPassword = 'earlier-password-';

/** Whether the value of a key contains a password, in a connection Secret or a pending Secret. */
export function isSecretKey(key: string): boolean {
  return secretKeys.has(key) || key.startsWith(earlierPassword);
}

const sslmode = 'require';

/**
 * The content of a connection Secret, key by key, after servicebinding.io: `type`, `provider`, `host`, `port`, `username`, `password`,
 * `database`, `sslmode`, `uri` (percent-encoded), `jdbc-url` (without credentials), and the same for the pooler and the VPC where there is one.
 * Without a password the keys that hold it are left out.
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

/** The connection in the content of a Secret. */
export function connectionIn(data: Readonly<Record<string, string>>): Connection {
  return {
    username: data['username'] ?? '',
    database: data['database'] ?? '',
    direct: endpointIn(data, ''),
    pooler: endpointIn(data, 'pooler-'),
    vpc: endpointIn(data, 'vpc-'),
  };
}

function endpointIn(data: Readonly<Record<string, string>>, prefix: string): Endpoint | undefined {
  const host = data[`${prefix}host`];
  const port = data[`${prefix}port`];
  return host === undefined || port === undefined ? undefined : { host, port: Number(port) };
}

/** The password in the URI of a Secret's content. */
export function passwordIn({ uri = '' }: Readonly<Record<string, string>>): string | undefined {
  const [, password] = /^postgresql:\/\/[^:@/]*:([^@/]*)@/u.exec(uri) ?? [];
  try {
    return password && decodeURIComponent(password);
  } catch {
    return undefined; // somebody wrote another text
  }
}
