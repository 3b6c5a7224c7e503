import { resourceKey } from '../../runtime/index.ts';
import {
  connectionAnnotations,
  isConnected,
  secretNameOf,
  type Connected,
} from '../../resources/connection-secret.ts';
import { isKind, type ManagedObject } from '../../resources/managed-object.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import { passwordOf, resourceHash, entryOf, recordOf } from '../ledger/entry.ts';
import type { View } from '../wiring/context.ts';
import { isObserved } from '../situation/options.ts';
import type { ConnectionWrite, LedgerPassword } from '../step/connection.ts';
import { isOfResource, isProjectionOf, passwordNumberIn } from './projection.ts';

/**
 * A connection Secret changes its owner if both specs say so: the owner's spec names another Secret, and the spec of
 * the other object names this Secret. So two objects may swap the names of their Secrets.
 */

type Known = Pick<View, 'caches' | 'claims' | 'clusterUid' | 'options'>;
type Wanted = Pick<ConnectionWrite, 'name' | 'resource' | 'password'>;

/** Whether the operator may write this Secret for this object: the object owns the Secret, or another object hands it over. */
export function mayWrite(
  secret: WatchedSecret,
  object: ManagedObject,
  write: Wanted,
  context: Known,
): boolean {
  const owner = otherOwner(secret, object, context);
  if (!owner) return isProjectionOf(secret, object, write.resource);
  // Without a password in the ledger, the old Secret of this object may have the only copy.
  return (
    write.password !== undefined &&
    write.name === secret.metadata.name &&
    isGivenUp(secret, owner, context)
  );
}

/** Another living object that owns this Secret. A copy of a Secret, and the Secret of an object that is gone, have no owner. */
export function otherOwner(
  { metadata }: WatchedSecret,
  object: ManagedObject,
  { caches }: Pick<Known, 'caches'>,
): Connected | undefined {
  const { [connectionAnnotations.owner]: text = '', [connectionAnnotations.ownerUid]: uid } =
    metadata.annotations ?? {};
  const [kind = '', name = ''] = text.split('/');
  const owner = isKind(kind)
    ? caches.of(kind).get(resourceKey(metadata.namespace, name))
    : undefined;
  const isOwner =
    owner?.metadata.uid === uid &&
    metadata.annotations?.[connectionAnnotations.name] === metadata.name;
  return owner && isOwner && isConnected(owner) && uid !== object.metadata.uid ? owner : undefined;
}

/** Whether an object of this namespace is about to take this old Secret of `owner`, which must not be deleted then. */
export function isAwaited(secret: WatchedSecret, owner: ManagedObject, context: Known): boolean {
  return (
    isConnected(owner) &&
    isGivenUp(secret, owner, context) &&
    othersThatName(secret.metadata.name, owner, context).some(
      (each) => ledgerPasswordOf(each, context) !== undefined,
    )
  );
}

/** The other objects of the namespace whose specs name this connection Secret. */
function othersThatName(
  secret: string,
  { metadata: { uid, namespace } }: Connected,
  { caches }: Known,
): readonly Connected[] {
  return caches.ofAllKinds
    .flatMap((cache) => [...cache.values()].filter(isConnected))
    .filter(
      (each) =>
        each.metadata.uid !== uid &&
        each.metadata.namespace === namespace &&
        secretNameOf(each) === secret,
    );
}

/**
 * Whether the spec of the owner names another Secret, which the owner has or can take, and the ledger has the password
 * of this Secret. So nothing is lost. The owner can take a Secret that its owner gives up, unless a further object
 * names that Secret. Owners that pass their Secrets on in a circle give all of them up.
 * @param path the Secrets before this Secret in the chain of names
 */
function isGivenUp(
  secret: WatchedSecret,
  owner: Connected,
  context: Known,
  path: ReadonlySet<string> = new Set(),
): boolean {
  const next = secretNameOf(owner);
  const { id, projectId } = recordOf(owner, context.caches);
  const password = ledgerPasswordOf(owner, context);
  if (
    next === secret.metadata.name ||
    password === undefined ||
    id === undefined ||
    projectId === undefined
  )
    return false;
  const resource = resourceHash(owner.kind, projectId, id);
  if (!isOfResource(secret, resource) || passwordNumberIn(secret) > password.number) return false;
  const replacement = context.caches.connectionSecrets.get(
    resourceKey(owner.metadata.namespace, next),
  );
  if (!replacement || replacement.metadata.deletionTimestamp) return false;
  const present = otherOwner(replacement, owner, context);
  if (!present) return isProjectionOf(replacement, owner, resource);
  if (othersThatName(next, owner, context).length > 0) return false;
  return (
    path.has(next) ||
    isGivenUp(replacement, present, context, new Set([...path, secret.metadata.name]))
  );
}

/** Undefined also for an object that is not bound, and for an object whose connection Secret the operator leaves unchanged. */
function ledgerPasswordOf(object: Connected, context: Known): LedgerPassword | undefined {
  const { metadata, spec, problems, kind } = object;
  const { caches, claims } = context;
  const isUnchanged =
    metadata.deletionTimestamp !== undefined || spec.suspend === true || problems.length > 0;
  if (isUnchanged || isObserved(object, context.options)) return undefined;
  const entry = entryOf(object, caches);
  const { id, parentServiceId, projectId = '' } = recordIn(entry);
  const isOnlyOwner =
    id !== undefined &&
    claims.claimantsOf(kind, projectId, id).every(({ uid }) => uid === metadata.uid);
  if (!isOnlyOwner || entry?.content?.clusterUid !== context.clusterUid) return undefined;
  if (kind === 'ManagedService') return passwordOf(entry, id);
  const service =
    parentServiceId === undefined
      ? undefined
      : claims.ownerOf('ManagedService', projectId, parentServiceId);
  const parent = service && caches.of('ManagedService').get(service.key);
  const isInReach = parent?.metadata.namespace === metadata.namespace;
  return parent && isInReach ? passwordOf(entryOf(parent, caches), parentServiceId) : undefined;
}
