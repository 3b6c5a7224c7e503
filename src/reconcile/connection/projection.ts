import { createHash } from 'node:crypto';
import { connectionLabel } from '../../resources/annotations.ts';
import {
  connectionAnnotations,
  connectionSecretType,
  type GivenValue,
  type SecretWithData,
} from '../../resources/connection-secret.ts';
import type { ObservedSecret, RuleOptions, SecretVersion } from '../situation/situation.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { ConnectionWrite, Connection } from '../step/connection.ts';
import type { CompleteEndpoint } from '../../cloud/wire/endpoint.ts';
import { longestPassword, passwordFault, shortestPassword } from '../../cloud/wire/password.ts';
import { isObserved } from '../situation/options.ts';

/** The connection Secret as a projection of ledger, cloud and spec: it holds nothing that only it knows. */

/** `ManagedService/orders` */
export function ownerText(object: {
  readonly kind: Kind;
  readonly metadata: { readonly name: string };
}): string {
  return `${object.kind}/${object.metadata.name}`;
}

/** Whether the operator wrote the Secret last for this object. */
export function isOwnedBy({ metadata }: WatchedSecret, object: ManagedObject): boolean {
  return metadata.annotations?.[connectionAnnotations.ownerUid] === object.metadata.uid;
}

/**
 * Whether the operator may write or delete this Secret: it wrote the Secret under this name for this object, or
 * for the same resource. So a retained Secret returns to its database. The uid in status identifies a Secret that
 * lost annotations. It does not count for a Secret that names another object or resource, which has taken the Secret.
 * @param resource the hash of the object's resource; undefined while the object has none
 */
export function isProjectionOf(
  secret: WatchedSecret,
  object: ManagedObject,
  resource: string | undefined,
): boolean {
  const { uid, name, annotations = {} } = secret.metadata;
  const isOwned = isOwnedBy(secret, object);
  const isOfIt = isOfResource(secret, resource);
  const isTaken =
    (annotations[connectionAnnotations.ownerUid] !== undefined && !isOwned) ||
    (annotations[connectionAnnotations.resource] !== undefined && !isOfIt);
  if (uid === secretVersionIn(object)?.uid && !isTaken) return true;
  return annotations[connectionAnnotations.name] === name && (isOwned || isOfIt);
}

/** Whether the Secret has the connection of this resource. `resource` is a hash. */
export function isOfResource({ metadata }: WatchedSecret, resource: string | undefined): boolean {
  return (
    resource !== undefined && metadata.annotations?.[connectionAnnotations.resource] === resource
  );
}

/** The version of the connection Secret that status shows. Undefined if status shows none. */
export function secretVersionIn({ status }: ManagedObject): SecretVersion | undefined {
  return status && 'connectionSecret' in status ? status.connectionSecret : undefined;
}

/** Whether the cloud has never named the endpoint of the resource, so the connection Secret cannot be complete. */
export function lacksEndpoint(secret: ObservedSecret | undefined): boolean {
  return (
    secret !== undefined && 'wanted' in secret && secret.wanted.connection.direct === undefined
  );
}

/**
 * Whether apps have a connection Secret for the resource, perhaps with outdated parts
 * other than the password and the endpoint. Apps of a resource that is only
 * observed have a connection without the operator.
 */
export function hasConnection({ object, secret, options }: Connected): boolean {
  if (isObserved(object, options)) return true;
  if (secret.state === 'absent' || secret.state === 'unusable' || lacksEndpoint(secret))
    return false;
  if (secret.state === 'outdated' && secret.hasOldPassword) return false;
  return secret.state === 'current' || secretVersionIn(object) !== undefined;
}

interface Connected {
  readonly object: ManagedObject;
  readonly secret: ObservedSecret;
  readonly options: RuleOptions;
}

/**
 * The place of the connection data, as the end of a message about a resource to which apps can connect.
 * @param passwordHint what the reader must know about the password in the Secret
 */
export function connectionPlace(
  { object, secret, options }: Connected,
  passwordHint: string,
): string {
  if (isObserved(object, options) && secretVersionIn(object) === undefined)
    return 'it is only observed: the operator writes no connection Secret';
  return `Secret "${secret.name}" has the connection${passwordHint}`;
}

/** Whether the content has a password that is not empty. */
export function showsPassword({ data }: Pick<SecretWithData, 'data'>): boolean {
  return data['password'] !== undefined && data['password'] !== '';
}

/** 0 if the Secret has no password. */
export function passwordNumberIn({ metadata }: WatchedSecret): number {
  return Number(metadata.annotations?.[connectionAnnotations.passwordNumber]) || 0;
}

/** A digest of all inputs of the connection Secret, except for the password. */
export function inputsOf({
  name,
  resource,
  labels,
  annotations,
  connection,
}: ConnectionWrite): string {
  const text = JSON.stringify([
    name,
    resource,
    sorted(labels),
    sorted(annotations),
    connectionData(connection, undefined),
  ]);
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

function sorted(texts: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(texts).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

/** Whether the Secret says that it was computed for this object from these inputs. */
export function hasInputs(
  { metadata }: WatchedSecret,
  write: ConnectionWrite,
  object: ManagedObject,
): boolean {
  return hasAll(marksOf(write, object), metadata.annotations);
}

/** Whether a Secret that was read live has the labels and annotations of the spec. */
export function hasRequestedTexts(
  { metadata }: SecretWithData,
  { labels, annotations }: ConnectionWrite,
): boolean {
  return hasAll(labels, metadata.labels) && hasAll(annotations, metadata.annotations);
}

function hasAll(
  wanted: Readonly<Record<string, string>>,
  texts: Readonly<Record<string, string>> = {},
): boolean {
  return Object.entries(wanted).every(([key, value]) => texts[key] === value);
}

/**
 * Whether the content of a Secret is as it must be. If no password is known, the present password counts. Keys
 * of other writers do not count.
 */
export function hasContent(
  { data }: Pick<SecretWithData, 'data'>,
  { connection }: ConnectionWrite,
  password: string | undefined,
): boolean {
  const wanted = connectionData(connection, password);
  return connectionKeys.every(
    (key) => data[key] === wanted[key] || (password === undefined && secretKeys.has(key)),
  );
}

/** The body of a new connection Secret. */
export function newSecret(
  write: ConnectionWrite,
  owner: ManagedObject,
  password: string | undefined,
) {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    type: connectionSecretType,
    metadata: { name: write.name, ...textsOf(write, owner) },
    data: encoded(connectionData(write.connection, password)),
  };
}

/**
 * A merge patch, locked to the version that was read, which changes only keys of the operator. Without a new
 * password the present password stays with its number, unless it is of another resource.
 * @param hasLostPassword whether the Secret has no password any more, so that its number is of no password
 */
export function secretPatch(
  current: WatchedSecret,
  write: ConnectionWrite,
  owner: ManagedObject,
  {
    password,
    hasLostPassword,
  }: { readonly password: string | undefined; readonly hasLostPassword: boolean },
) {
  const { uid, resourceVersion } = current.metadata;
  const { labels, annotations } = textsOf(write, owner);
  // Without the annotation, the uid in status shows that the Secret is of this resource.
  const isStripped = current.metadata.annotations?.[connectionAnnotations.resource] === undefined;
  const keepsPassword =
    password === undefined && (isStripped || isOfResource(current, write.resource));
  const removed = connectionKeys
    .filter((key) => !(keepsPassword && secretKeys.has(key)))
    .map((key) => [key, null] as const);
  return {
    metadata: {
      uid,
      resourceVersion,
      labels,
      annotations: {
        ...(keepsPassword && !hasLostPassword
          ? {}
          : { [connectionAnnotations.passwordNumber]: null }),
        ...annotations,
      },
    },
    data: {
      ...Object.fromEntries(removed),
      ...encoded(connectionData(write.connection, password)),
    },
  };
}

function textsOf(write: ConnectionWrite, owner: ManagedObject) {
  return {
    labels: { ...write.labels, [connectionLabel]: 'true' },
    annotations: { ...write.annotations, ...marksOf(write, owner) },
  };
}

function marksOf(write: ConnectionWrite, owner: ManagedObject) {
  const { name, resource, password } = write;
  return {
    [connectionAnnotations.owner]: ownerText(owner),
    [connectionAnnotations.ownerUid]: owner.metadata.uid,
    [connectionAnnotations.resource]: resource,
    [connectionAnnotations.name]: name,
    [connectionAnnotations.inputs]: inputsOf(write),
    ...(password === undefined
      ? {}
      : { [connectionAnnotations.passwordNumber]: String(password.number) }),
  };
}

function encoded(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [
      key,
      Buffer.from(value, 'utf8').toString('base64'),
    ]),
  );
}

const secretKeys: ReadonlySet<string> = new Set(['password', 'uri', 'pooler-uri', 'vpc-uri']);

/** The reason not to send a chosen password, after `the password of Secret "mine"`. Undefined if the operator sends it. */
export function unfitFor(password: GivenValue): string | undefined {
  if (password.state === 'absent') return 'is missing: put a password there';
  if (password.state === 'notText') return 'is not text (UTF-8): put a password there that is text';
  switch (passwordFault(password.text)) {
    case 'length':
      return `is not sent: a password has ${shortestPassword} to ${longestPassword} characters`;
    case 'character':
      return 'is not sent: it has a control character, such as a line break';
    case undefined:
      return undefined;
  }
}

const sslmode = 'require';

/**
 * The content of a connection Secret, after servicebinding.io: `type`, `provider`, `host`, `port`, `username`,
 * `password`, `database`, `sslmode`, `uri` (percent-encoded), `jdbc-url` (without credentials), and the same
 * for a pooler and a VPC. Without a password the keys that hold it are left out.
 */
export function connectionData(
  connection: Connection,
  password: string | undefined,
): Record<string, string> {
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
  endpoint: CompleteEndpoint | undefined,
  { username, database }: Connection,
  password: string | undefined,
): Record<string, string> {
  if (!endpoint) return {};
  const address = `${bracketed(endpoint.host)}:${endpoint.port}/${encodeURIComponent(database)}`;
  return {
    [`${prefix}host`]: endpoint.host,
    [`${prefix}port`]: String(endpoint.port),
    ...(password === undefined
      ? {}
      : {
          [`${prefix}uri`]: `postgresql://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${address}?sslmode=${sslmode}`,
        }),
    ...(prefix === 'vpc-'
      ? {}
      : { [`${prefix}jdbc-url`]: `jdbc:postgresql://${address}?sslmode=${sslmode}` }),
  };
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

const anywhere: CompleteEndpoint = { host: 'host', port: 0 };
const connectionKeys: readonly string[] = Object.keys(
  connectionData(
    { username: '', database: '', direct: anywhere, pooler: anywhere, vpc: anywhere },
    'password',
  ),
);

const longestName = 253;
const dnsName = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:\.[a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/u;

/** Whether Kubernetes accepts the name for a Secret. */
export function isSecretName(name: string): boolean {
  return name.length <= longestName && dnsName.test(name);
}
