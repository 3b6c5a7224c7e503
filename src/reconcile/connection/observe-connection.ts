import { keyOf, resourceKey, type ObjectCache } from '../../runtime/index.ts';
import {
  secretsWithData,
  type SecretWithData,
  isConnected,
  secretNameOf,
} from '../../resources/connection-secret.ts';
import { passwordKeys } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { readEntry } from '../ledger/write-entry.ts';
import type { View } from '../wiring/context.ts';
import type {
  ComparedSecret,
  ComparedSecrets,
  ObservedSecret,
  Situation,
} from '../situation/situation.ts';
import type { ConnectionWrite, LedgerPassword } from '../step/connection.ts';
import {
  hasContent,
  showsPassword,
  hasInputs,
  hasRequestedTexts,
  inputsOf,
  isOfResource,
  isOwnedBy,
  isProjectionOf,
  passwordNumberIn,
  secretVersionIn,
  isSecretName,
} from './projection.ts';
import {
  heldByFinalizers,
  invalidName,
  nameTaken,
  ownedBy,
  newerThanLedger,
} from './secret-refused.ts';
import { isAwaited, mayWrite, otherOwner } from './hand-over.ts';
import { resourceHash } from '../ledger/entry.ts';
import { isObserved } from '../situation/options.ts';

/**
 * The memory of the versions of connection Secrets that this process has compared with the ledger.
 * @param cache a Secret that leaves this cache is forgotten
 */
export function comparedSecrets(cache: ObjectCache<WatchedSecret>): ComparedSecrets {
  const versions = new Map<string, ComparedSecret & { readonly version: string }>();
  cache.onChange(({ type, object }) => {
    if (type === 'deleted') versions.delete(keyOf(object));
  });
  return {
    find(secret, write) {
      const last = versions.get(keyOf(secret));
      return last?.version === versionOf(secret, write) ? last : undefined;
    },
    add: (secret, write, { hasPassword }) =>
      void versions.set(keyOf(secret), { hasPassword, version: versionOf(secret, write) }),
  };
}

function versionOf(
  { metadata: { uid, resourceVersion } }: WatchedSecret,
  write: ConnectionWrite,
): string {
  return `${uid} ${resourceVersion} ${inputsOf(write)} ${write.password?.number}`;
}

/**
 * Compares the connection Secret with its inputs. The content is read only for a version that this process has not
 * compared, and that is not in status. Without a password in the ledger, status does not show whether the Secret has
 * a password.
 */
export async function observeConnection(
  object: ManagedObject,
  write: ConnectionWrite,
  context: View,
): Promise<ObservedSecret> {
  const { name, password } = write;
  const cache = context.caches.connectionSecrets;
  const common = { name, hasPassword: password !== undefined };
  if (!isSecretName(name)) return { ...common, state: 'unusable', why: invalidName(name) };
  const others = otherSecrets(object, write.resource, context)
    .filter(({ metadata }) => metadata.name !== name && metadata.deletionTimestamp === undefined)
    .filter(
      (secret) =>
        isOwnedBy(secret, object) ||
        (password !== undefined && passwordNumberIn(secret) < password.number),
    )
    .filter((secret) => !isAwaited(secret, object, context))
    .map(({ metadata }) => metadata.name);
  const place = { ...common, wanted: write, others };
  const secret = cache.get(resourceKey(object.metadata.namespace, name));
  if (!secret) return { ...place, state: 'absent' };
  if (!mayWrite(secret, object, write, context)) {
    const owner = otherOwner(secret, object, context);
    return {
      ...common,
      state: 'unusable',
      why: owner ? ownedBy(secret, owner) : nameTaken(secret, object),
    };
  }
  const { deletionTimestamp, finalizers = [], uid, resourceVersion } = secret.metadata;
  if (deletionTimestamp)
    return { ...common, state: 'unusable', why: heldByFinalizers(name, finalizers) };
  const isOurs = isOfResource(secret, write.resource);
  const isOlder = password !== undefined && isOurs && passwordNumberIn(secret) > password.number;
  if (isOlder) return { ...place, state: 'unusable', why: newerThanLedger(name) };
  const hasOldPassword =
    password !== undefined && (!isOurs || passwordNumberIn(secret) !== password.number);
  const outdated = { ...place, state: 'outdated', hasOldPassword } as const;
  if (!hasInputs(secret, write, object)) return { ...outdated, isEdited: false };
  const known = secretVersionIn(object);
  const isInStatus =
    known?.uid === uid && known.resourceVersion === resourceVersion && password !== undefined;
  const compared = isInStatus
    ? { hasPassword: true }
    : (context.compared.find(secret, write) ?? (await compare(secret, write, context)));
  if (compared === 'absent') return { ...place, state: compared };
  if (typeof compared === 'string') return { ...outdated, isEdited: compared === 'edited' };
  const { username, database } = write.connection;
  const hasOtherPassword = password === undefined && compared.hasPassword;
  return {
    ...place,
    state: 'current',
    version: { uid, resourceVersion, username, database },
    hasOtherPassword,
  };
}

/**
 * The connection Secrets of an object under all names, and those of earlier objects of its resource: a rename in the
 * spec leaves a Secret behind, and so does a retained resource.
 */
export function otherSecrets(
  object: ManagedObject,
  resource: string | undefined,
  context: Pick<View, 'caches'>,
): readonly WatchedSecret[] {
  return context.caches
    .connectionSecretsOf(object, resource)
    .filter(
      (secret) => !otherOwner(secret, object, context) && isProjectionOf(secret, object, resource),
    );
}

async function compare(
  secret: WatchedSecret,
  write: ConnectionWrite,
  context: View,
): Promise<ComparedSecret | 'edited' | 'outdated' | 'absent'> {
  const live = await readSecret(secret.metadata.namespace, secret.metadata.name, context);
  if (!live) return 'absent';
  const password = await readPassword(write.password, context);
  // Without a password in the entry, that in the Secret counts: a rotation sets another.
  if (!hasContent(live, write, password)) return 'edited';
  // A number without its password would stand for the next password of this number.
  const hasLostPassword =
    password === undefined && !showsPassword(live) && passwordNumberIn(secret) > 0;
  if (hasLostPassword || !hasRequestedTexts(live, write)) return 'outdated';
  const compared = { hasPassword: showsPassword(live) };
  if (live.metadata.resourceVersion === secret.metadata.resourceVersion)
    context.compared.add(secret, write, compared);
  return compared;
}

/** Reads a Secret with its content, live. Undefined if there is none. */
export function readSecret(
  namespace: string,
  name: string,
  { kubernetes }: Pick<View, 'kubernetes'>,
): Promise<SecretWithData | undefined> {
  return kubernetes.get(secretsWithData, resourceKey(namespace, name));
}

/** Undefined if the entry has no such password any more. */
export async function readPassword(
  place: LedgerPassword | undefined,
  context: Pick<View, 'kubernetes' | 'caches'>,
): Promise<string | undefined> {
  const entry = place && (await readEntry(place.entry, context));
  const isIt = entry?.content?.id === place?.id && entry?.content?.passwordNumber === place?.number;
  return isIt ? entry?.data[passwordKeys.present] : undefined;
}

/**
 * Observes the connection Secret of an object that owns and manages a resource, and is not being deleted. Other
 * objects get none: `unread`.
 * @param wanted undefined while the cloud does not show the resource
 */
export async function observeOwnConnection(
  { object, record, claim, options }: Pick<Situation, 'object' | 'record' | 'claim' | 'options'>,
  wanted: Omit<ConnectionWrite, 'resource' | 'password'> | undefined,
  password: LedgerPassword | undefined,
  context: View,
): Promise<ObservedSecret> {
  const { id, projectId } = record;
  const isOurs =
    claim.state === 'ours' && !object.metadata.deletionTimestamp && !isObserved(object, options);
  if (!wanted || !isOurs || id === undefined || projectId === undefined) {
    return {
      name: isConnected(object) ? secretNameOf(object) : '',
      hasPassword: password !== undefined,
      state: 'unread',
    };
  }
  return observeConnection(
    object,
    { ...wanted, resource: resourceHash(object.kind, projectId, id), password },
    context,
  );
}
