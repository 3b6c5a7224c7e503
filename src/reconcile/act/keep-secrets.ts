import { isDeepStrictEqual } from 'node:util';
import { keyOf, resourceKey } from '../../runtime/index.ts';
import { connectionAnnotations, type SecretWithData } from '../../resources/connection-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { connectionSecrets, type WatchedSecret } from '../../resources/watched-secret.ts';
import {
  foreignFinalizers,
  isAbout,
  isOfReplaced,
  isOfResource,
  isOwnedBy,
  isPending,
  isVanishing,
  idIn,
} from '../connection/ownership.ts';
import { earlierPassword } from '../connection/connection-data.ts';
import { isBackupCopy } from '../connection/pending-password.ts';
import { connectionNames, isConnected, isTooLong, pendingName, wantedSecretName } from '../connection/secret-name.ts';
import { inTheWay } from '../connection/secret-in-the-way.ts';
import { heldBy, invalidName, SecretRefused } from '../connection/secret-refused.ts';
import { keepSecret, provenance, putSecret, readSecret, releaseSecret } from '../connection/store.ts';
import type { Context } from '../process/context.ts';
import { recordIn } from '../record/record.ts';
import type { WantedSecret } from '../step/connection.ts';
import { conflictAt } from '../step/kubernetes-trouble.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Released, Stall } from '../step/step.ts';
import { copyConnection, remakeConnection, type Remake } from './remake-connection.ts';

/** The Secrets of the resource. The Secret of an earlier resource that was retained has the password of that resource. */
export async function secretsOf(
  { secretName, about }: Pick<Released, 'secretName' | 'about'>,
  object: ManagedObject,
  context: Context,
): Promise<readonly WatchedSecret[]> {
  const secrets = context.caches.connectionSecretsOf(object).filter((secret) => isOwnedBy(secret, object));
  const named = new Set([secretName, ...connectionNames(object, recordIn(object))].filter((name) => name !== undefined));
  const names = [...named].flatMap((name) => [name, pendingName(name)]);
  const unknown = names.filter((name) => secrets.every(({ metadata }) => metadata.name !== name));
  const lost = await Promise.all(unknown.map((name) => unlabelled(object, name, context)));
  return [...secrets, ...lost.filter((each) => each !== undefined)].filter((secret) => isAbout(secret, about));
}

/** A Secret whose label somebody removed. The cache does not have it, and the finalizer would hold it forever. */
async function unlabelled(object: ManagedObject, name: string, context: Context): Promise<WatchedSecret | undefined> {
  const secret = await context.kubernetes.get(connectionSecrets, resourceKey(object.metadata.namespace, name));
  return secret && isOwnedBy(secret, object) ? secret : undefined;
}

/**
 * Takes the operator's finalizer off the Secrets of a resource that stays. One that is being deleted would go with it, and perhaps the only copy of the password
 * with the Secret, so that it is made again first. A namespace that is being deleted takes no new Secret, and all of them go with it.
 * @returns the outcome if they cannot stay yet
 */
export async function keepSecrets(released: Released, object: ManagedObject, context: Context): Promise<Outcome | undefined> {
  const hindered = await remakeDeleted(released, object, context).catch((error: unknown) => {
    if (error instanceof SecretRefused && error.namespaceTerminating) return 'namespaceGoes' as const;
    throw error;
  });
  if (hindered !== undefined && hindered !== 'namespaceGoes') return hindered;
  const secrets = await secretsOf(released, object, context);
  const keeper = keeperOf(secrets, released, object);
  for (const secret of secrets) {
    // Copies of it under other names have nothing that it lacks.
    const isSpare = secret.metadata.name !== keeper?.metadata.name && !isPending(secret, object);
    const mayGo = hindered === 'namespaceGoes' || isSpare;
    if (mayGo) await releaseSecret(keyOf(secret), secret.metadata.uid, context);
    else if (!(await keepSecret(keyOf(secret), secret.metadata.uid, context)))
      return { type: 'conflict', step: conflictAt(`Secret "${secret.metadata.name}" is deleted while it is to stay`) };
    if (isPending(secret, object)) reportPending(secret, keeper, object, context);
  }
  return undefined;
}

/** The Secret that keeps the password: the connection Secret, or in its absence another one, which a move made or left behind. */
export function keeperOf(
  secrets: readonly WatchedSecret[],
  { id, secretName }: Released,
  object: ManagedObject,
): WatchedSecret | undefined {
  // Each leaves those that have it, if there are any.
  const wanted: readonly ((secret: WatchedSecret) => boolean)[] = [
    (secret) => !isVanishing(secret), // it stays at all
    (secret) => id === undefined || idIn(secret) === id, // it is about the resource, and not about the one that this replaces
    (secret) => secret.metadata.annotations?.[connectionAnnotations.passwordDigest] !== undefined, // its password is known; a move marks what it copies
    (secret) => secret.metadata.name === secretName,
    (secret) => secret.metadata.deletionTimestamp === undefined,
  ];
  const connections = secrets.filter((secret) => !isPending(secret, object));
  return wanted.reduce((left, has) => (left.some(has) ? left.filter(has) : left), connections)[0];
}

/** Nobody completes this rotation. Two passwords remain, and one of them is valid. */
function reportPending(
  { metadata: { name } }: WatchedSecret,
  keeper: WatchedSecret | undefined,
  object: ManagedObject,
  { events }: Context,
): void {
  const before = keeper ? 'the one in the connection Secret' : `the one under its key ${earlierPassword}<number>`;
  const message = `Secret "${name}" has a password that was on its way: if ${before} is not accepted, it has arrived`;
  events.record(object, { type: 'Warning', reason: 'RotatingPassword', message });
}

/** Makes the connection Secret again if it is being deleted, or was while a process ended, and keeps the pending password elsewhere if its Secret is. */
async function remakeDeleted(released: Released, object: ManagedObject, context: Context): Promise<Outcome | undefined> {
  const secrets = await secretsOf(released, object, context);
  const keeper = keeperOf(secrets, released, object);
  const name = keeper?.metadata.name ?? released.secretName;
  if (name === undefined) return undefined;
  const deleted = keeper?.metadata.deletionTimestamp === undefined ? undefined : keeper;
  const isBeside = ({ metadata }: WatchedSecret) => Number(metadata.name === pendingName(name));
  const pending = secrets.filter((each) => isPending(each, object) && !isVanishing(each)).toSorted((a, b) => isBeside(b) - isBeside(a));
  const isBackup = pending[0] !== undefined && isBackupCopy(pending[0]) && !isOfReplaced(pending[0], released.id, recordIn(object));
  const copy = isBackup ? pending[0] : undefined;
  const source = deleted ?? copy;
  if (source) {
    // The name in the spec is the way out where the place beside the present name is taken.
    const place = pending[0]?.metadata.name ?? pendingName(isConnected(object) ? wantedSecretName(object) : name);
    const action = { type: 'remakeConnection', secret: { ...asItWas(source, object), name, pendingName: place } } as const;
    const hindered = deleted ? await untilLetGo(deleted, action, object, context) : undefined;
    if (hindered) return hindered;
    const outcome = await remakeConnection(action, object, context);
    if (outcome.type !== 'done') return outcome;
  }
  for (const each of pending.filter((one) => one !== copy && isHeldByUs(one))) {
    const hindered = await keepPending(each, released, object, context);
    if (hindered) return hindered;
  }
  return undefined;
}

/** Waits for the finalizers of others: until they are gone, no Secret can take the place. Without the operator's own, nothing tells when it goes. */
async function untilLetGo(deleted: WatchedSecret, action: Remake, object: ManagedObject, context: Context): Promise<Outcome | undefined> {
  const holders = foreignFinalizers(deleted);
  if (holders.length === 0) return undefined;
  if (isVanishing(deleted)) await copyConnection(action, object, context);
  return { type: 'stalled', object, step: heldBy(deleted.metadata.name, holders) };
}

/** Whether the Secret is being deleted, and goes with the operator's finalizer, if nobody else holds it. */
function isHeldByUs(secret: WatchedSecret): boolean {
  return secret.metadata.deletionTimestamp !== undefined && !isVanishing(secret);
}

/** A Secret with the marks that this one has: nothing is decided about it any more. */
function asItWas(secret: WatchedSecret, object: ManagedObject): Omit<WantedSecret, 'name' | 'pendingName'> {
  const { labels = {}, annotations = {} } = (isConnected(object) ? object.spec.connectionSecret : undefined) ?? {};
  return { id: idIn(secret), projectId: secret.metadata.annotations?.[connectionAnnotations.projectId], labels, annotations };
}

interface Place {
  readonly place: string;
  /** The same password, from an earlier try. */
  readonly inPlace: SecretWithData | undefined;
}

/** A place for a pending password whose Secret goes: where nothing is, or this password is already. The name in the spec is the way out where another is taken. */
async function placeFor(pending: SecretWithData, { about }: Released, object: ManagedObject, context: Context): Promise<Place | Stall> {
  const { namespace, name } = pending.metadata;
  const beside = pendingName(name);
  const wanted = isConnected(object) ? pendingName(wantedSecretName(object)) : name;
  let taken: Stall | undefined;
  for (const place of [beside, ...(wanted === name ? [] : [wanted])].filter((each) => !isTooLong(each))) {
    const inPlace = await readSecret(namespace, place, context);
    const isIts = inPlace !== undefined && isPending(inPlace, object) && isOfResource(inPlace, { owner: object, id: idIn(pending) });
    if (!inPlace || (isIts && isDeepStrictEqual(inPlace.data, pending.data))) return { place, inPlace };
    taken ??= inTheWay(inPlace, { object, about }, context);
  }
  // Every name is too long. Kubernetes is asked all the same: it may say that the namespace goes, and then nothing is kept.
  return taken ?? { place: beside, inPlace: undefined };
}

/** Stores a pending password under another name, before its Secret goes: it may be the one that the cloud has. */
async function keepPending(
  { metadata: { namespace, name } }: WatchedSecret,
  released: Released,
  object: ManagedObject,
  context: Context,
): Promise<Outcome | undefined> {
  const found = await readSecret(namespace, name, context);
  if (!found) return undefined;
  const kept = await placeFor(found, released, object, context);
  if ('type' in kept) return { type: 'stalled', object, step: kept };
  const { place, inPlace } = kept;
  const marks = { ...asItWas(found, object), ...provenance(found, idIn(found)), labels: {}, annotations: {} };
  try {
    await putSecret(inPlace, { ...marks, name: place, pendingName: place, owner: object, isPending: true }, found.data, context);
  } catch (error) {
    if (!(error instanceof SecretRefused) || error.namespaceTerminating || !isTooLong(place)) throw error;
    const why = `Secret "${name}" goes, with a password that was on its way, and "${place}" is too long a name for its copy`;
    return { type: 'stalled', object, step: invalidName(why) };
  }
  await releaseSecret(keyOf(found), found.metadata.uid, context);
  return undefined;
}
