import { resourceKey } from '../../runtime/index.ts';
import type { View } from '../process/context.ts';
import type { Account } from '../credentials/account.ts';
import type { Situation } from '../situation/situation.ts';
import type { ObservedSecret, ConnectionSecret } from '../situation/observed-secret.ts';
import { connectionAnnotations } from '../../resources/connection-secret.ts';
import { aboutOf, isAbout, isOfReplaced, isVanishing, isOwnedBy, isPending, speaksFor } from './ownership.ts';
import { withoutSecrets } from './secret-contents.ts';
import { connectionNames, pendingName, whyNameIsInvalid } from './secret-name.ts';
import { inTheWay, whileHeld } from './secret-in-the-way.ts';
import { invalidName } from './secret-refused.ts';
import { resourceOfDigest } from './stored-password.ts';
import { readSecret, saidOf } from './store.ts';
import type { WatchedSecret } from '../../resources/watched-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

type Known = Pick<Situation, 'object' | 'identity' | 'record'>;

/** The name of the object's present connection Secret. Undefined if it has none: then the spec decides the name. */
function secretNameOf({ object, record: { secretName: name }, identity }: Known, context: View): string | undefined {
  // A name that was chosen for a create that failed does not bind, unless a Secret has it.
  const isFree = identity.state === 'none' && name !== undefined && !cachedSecret(object, name, context);
  return isFree ? undefined : name;
}

/** The Secret of that name, from the cache, if it tells what resource the object has. */
export function cachedSecret(object: ManagedObject, name: string, context: View): WatchedSecret | undefined {
  const cached = context.caches.connectionSecrets.get(resourceKey(object.metadata.namespace, name));
  return cached && speaksFor(object, cached) ? cached : undefined;
}

/**
 * The pending Secrets of the object and its resource, whatever their names: since they were made, the connection may have got another name. First the one
 * beside the connection Secret of this name.
 */
export function pendingSecrets(known: Known, name: string, context: Pick<View, 'caches'>): readonly WatchedSecret[] {
  return allPending(known, name, context).filter((secret) => !isOutdated(secret, known));
}

/** Also those of the resource that this one replaced. */
function allPending(known: Known, name: string, { caches }: Pick<View, 'caches'>): readonly WatchedSecret[] {
  const { object } = known;
  const all = caches.connectionSecretsOf(object).filter((secret) => isPending(secret, object) && isAbout(secret, aboutOf(known)));
  const isBeside = ({ metadata }: WatchedSecret) => metadata.name === pendingName(name);
  return [...all.filter(isBeside), ...all.filter((secret) => !isBeside(secret))];
}

/**
 * Observes the present connection Secret. Where the recorded one is gone, it is the other one of a move, or the one that the status names: an older record, put
 * back, knows nothing of a move since, and the only password may be there.
 * @param wanted the name in the spec
 * @param prove as in {@link observeSecret}
 */
export async function observePresentSecret(known: Known, wanted: string, prove: boolean, context: View): Promise<ObservedSecret> {
  const observed = await observeSecret(known, secretNameOf(known, context) ?? wanted, prove, context);
  if (observed.state !== 'absent' || known.identity.state !== 'known') return observed;
  for (const other of connectionNames(known.object, known.record).filter((name) => name !== observed.name)) {
    const found = await observeSecret(known, other, prove, context);
    if (found.state === 'ours') return found;
  }
  return observed;
}

/**
 * Observes the connection Secret. The cache has only labelled Secrets, so a Secret that it lacks may still exist.
 * @param prove read the API server if the cache has no such Secret; required before its absence leads to an action
 */
export async function observeSecret(known: Known, name: string, prove: boolean, context: View): Promise<ObservedSecret> {
  const { object } = known;
  const { namespace } = object.metadata;
  const waiting = allPending(known, name, context).filter((secret) => !isVanishing(secret));
  const pending = waiting.find((secret) => !isOutdated(secret, known));
  const inPlace = context.caches.connectionSecrets.get(resourceKey(namespace, pendingName(name)));
  const isHeld = !pending && inPlace !== undefined && isPending(inPlace, object) && isVanishing(inPlace);
  const outdated = pending ? undefined : waiting[0];
  const place = { name, pending, outdated, pendingBlocked: isHeld ? whileHeld(inPlace) : undefined };
  const isTheOne = (secret: WatchedSecret) => isOwnedBy(secret, object) && !isPending(secret, object) && isAbout(secret, aboutOf(known));
  const whyNotTheOne = (secret: WatchedSecret) => inTheWay(secret, { object, about: aboutOf(known) }, context);
  const cached = context.caches.connectionSecrets.get(resourceKey(namespace, name));
  const whyNot = cached ? undefined : whyNameIsInvalid(name);
  if (whyNot !== undefined) return { ...place, state: 'unusable', why: invalidName(whyNot) };
  // A foreign Secret is not read: it may have any size.
  if (cached && !isTheOne(cached)) return { ...place, state: 'unusable', why: whyNotTheOne(cached) };
  if (!cached && !prove) return { ...place, state: 'unread' };
  const live = cached ? await context.contents.of(cached) : await readSecret(namespace, name, context);
  if (!live) return { ...place, state: 'absent' };
  if (!isTheOne(live)) return { ...place, state: 'unusable', why: whyNotTheOne(live) };
  const secret = 'data' in live ? withoutSecrets(live) : live;
  if (!isVanishing(secret)) return { ...place, state: 'ours', secret: isOutdated(secret, known) ? withoutPassword(secret, known) : secret };
  const why = whileHeld(secret);
  return why ? { ...place, state: 'unusable', why } : { ...place, state: 'unread' };
}

/** Whether the absence of the Secret must be proven: for an existing resource, and before each create, also one after a create that made nothing. */
export function needsProof(usable: Account | undefined, attempt: Situation['attempt']): boolean {
  return usable !== undefined && (attempt === undefined || attempt.state === 'judged');
}

/**
 * A password belongs to one resource. After a recreation, the password of the replaced resource does not count, whoever wrote it, nor what was handled for that
 * one.
 */
function withoutPassword(secret: ConnectionSecret, { identity }: Known): ConnectionSecret {
  return { ...secret, metadata: saidOf(secret, idOf(identity)), password: 'none', passwordDigest: undefined, length: 'fits' };
}

function isOutdated(secret: WatchedSecret, { identity, record }: Known): boolean {
  return isOfReplaced(secret, idOf(identity), record);
}

function idOf(identity: Situation['identity']): string | undefined {
  return identity.state === 'known' ? identity.id : undefined;
}

/** Observes the Secret of the wanted name, if the present one has another name. */
export async function nextSecret(known: Known, present: string, wanted: string, context: View): Promise<ObservedSecret | undefined> {
  return known.record.secretName === undefined || present === wanted ? undefined : observeSecret(known, wanted, true, context);
}

/**
 * Whether the operator may set the password: it made the resource, or knows the password that the cloud has, or somebody requested the password in the
 * Secret. The origin alone proves nothing: on an adopted resource it notes what was found.
 */
export function isPasswordOurs(observed: ObservedSecret, identity: Situation['identity']): boolean {
  if (observed.state !== 'ours') return false;
  const { metadata, password } = observed.secret;
  const { [connectionAnnotations.attempt]: attempt, [connectionAnnotations.passwordDigest]: digest } = metadata.annotations ?? {};
  // The digest of a replaced resource's password stays until there is one of this resource.
  const isDigestIts = digest !== undefined && [undefined, idOf(identity)].includes(resourceOfDigest(digest));
  return password !== 'none' || attempt !== undefined || isDigestIts;
}
