import { connectionFinalizer, connectionLabel } from '../../resources/annotations.ts';
import { hasFinalizer, isGone, keyOf, resourceKey, withoutFinalizer, type ResourceKey, type ResourceType } from '../../runtime/index.ts';
import type { Context, View } from '../process/context.ts';
import type { WantedSecret } from '../step/connection.ts';
import { askedText, withoutAsked } from '../../resources/asked-texts.ts';
import { isOf, isOfResource, ownerText } from './ownership.ts';
import { SecretTaken, unlessRefused } from './secret-refused.ts';
import { altered } from '../step/kubernetes-trouble.ts';
import {
  connectionAnnotations,
  connectionSecretType,
  contentOfSecrets,
  secretShape,
  secretsWithData,
  type SecretWithData,
} from '../../resources/connection-secret.ts';
import { connectionSecrets, watched, type WatchedSecret } from '../../resources/watched-secret.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** The metadata of a connection Secret. */
export interface SecretIdentity extends WantedSecret {
  readonly owner: ManagedObject;
  readonly attempt?: string | undefined;
  /** Whether the Secret holds a pending password. Apps do not read such a Secret. */
  readonly isPending?: boolean;
  /** The origin of the password; undefined leaves it unchanged. */
  readonly passwordHandled?: string | undefined;
  /** The digest of the password that the cloud has; undefined leaves it unchanged. */
  readonly passwordDigest?: string | undefined;
  readonly passwordUnansweredAt?: string | undefined;
}

/**
 * Creates a Secret, or replaces the version that was read: a change in between is a conflict.
 * @param current the Secret as it was read; undefined when there is none
 * @throws {SecretTaken} when `current` is not of this resource
 * @throws {KubernetesError} `alreadyExists` when the name is taken by now, `conflict` when the Secret has changed
 * @throws {SecretRefused} when Kubernetes refuses the Secret, or does not keep its password as written
 */
export async function putSecret(
  current: SecretWithData | undefined,
  identity: SecretIdentity,
  data: Readonly<Record<string, string>>,
  context: Context,
): Promise<SecretWithData> {
  const stored = await put(secretsWithData, { current, identity, data, dryRun: false }, context);
  context.caches.connectionSecrets.wrote(watched(stored));
  if (identity.isPending !== true) context.contents.wrote(stored);
  return stored;
}

/** Checks by a dry run that Kubernetes accepts a Secret. @throws as {@link putSecret} */
export async function checkSecret(
  current: SecretWithData | undefined,
  identity: SecretIdentity,
  data: Readonly<Record<string, string>>,
  context: Context,
): Promise<void> {
  await put(contentOfSecrets, { current, identity, data, dryRun: true }, context);
}

interface Put {
  readonly current: SecretWithData | undefined;
  readonly identity: SecretIdentity;
  readonly data: Readonly<Record<string, string>>;
  readonly dryRun: boolean;
}

/** The one way by which Secrets of connections and pending passwords are written. A Secret of somebody else, or of another resource, is never replaced. */
async function put<T extends Pick<SecretWithData, 'data'>>(
  type: ResourceType<T>,
  { current, identity, data, dryRun }: Put,
  { kubernetes, clusterUid }: Context,
): Promise<T> {
  if (current && !isOfResource(current, identity)) throw new SecretTaken(current);
  const { labels, annotations } = marks(identity, clusterUid);
  const kept = withoutAsked((current && saidOf(current, identity.id)) ?? {});
  const body = {
    apiVersion: 'v1',
    kind: 'Secret',
    type: current?.type ?? connectionSecretType,
    metadata: {
      ...(current?.metadata ?? { name: identity.name }),
      labels: { ...kept.labels, ...labels },
      annotations: { ...kept.annotations, ...annotations },
      finalizers: [...new Set([...(current?.metadata.finalizers ?? []), connectionFinalizer])],
    },
    data: encode(data),
  };
  return unlessRefused(identity.name, data, async () => {
    const stored = current
      ? await kubernetes.replace(type, keyOf(current), body, { dryRun })
      : await kubernetes.create(type, identity.owner.metadata.namespace, body, { dryRun });
    if (stored.data['password'] !== data['password']) throw altered(`write Secret ${identity.name}`, 'its password');
    return stored;
  });
}

/** Reads a Secret with its content from the API server. */
export async function readSecret(namespace: string, name: string, context: Pick<View, 'kubernetes'>): Promise<SecretWithData | undefined> {
  return context.kubernetes.get(secretsWithData, resourceKey(namespace, name));
}

/** Whether a Secret is still in the version that was read. */
export async function isAsRead({ metadata }: WatchedSecret, { kubernetes }: Pick<View, 'kubernetes'>): Promise<boolean> {
  const live = await kubernetes.get(connectionSecrets, keyOf({ metadata }));
  return live?.metadata.resourceVersion === metadata.resourceVersion;
}

/** Removes a Secret in the version that was read. Deletes it before it removes the finalizer: after a crash in between, the Secret is still held and known. */
export async function removeSecret(secret: WatchedSecret, context: Context): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp } = secret.metadata;
  const key = keyOf(secret);
  if (deletionTimestamp) return releaseSecret(key, uid, context);
  const held = await context.kubernetes.delete(wholeMetadata, key, { uid, resourceVersion });
  if (held) await dropOurFinalizer(held, context);
}

/** The part of a context that is needed to release a Secret. */
export interface Releasing extends Pick<Context, 'caches'> {
  readonly kubernetes: Pick<Context['kubernetes'], 'get' | 'patch'>;
}

/**
 * Removes the operator's finalizer from a Secret whose content is elsewhere, or is nobody's: if it is being deleted, it goes. Otherwise see {@link keepSecret}.
 * @param judged the resourceVersion on which the caller decided; a newer version is left alone
 */
export async function releaseSecret(key: ResourceKey, uid: string, context: Releasing, judged?: string): Promise<void> {
  const current = await context.kubernetes.get(wholeMetadata, key);
  if (current?.metadata.uid !== uid) return;
  if (judged !== undefined && current.metadata.resourceVersion !== judged) return;
  await dropOurFinalizer(current, context);
}

/**
 * Removes the operator's finalizer from a Secret that stays.
 * @returns false for one that is being deleted: it would go with the finalizer, whatever it has
 */
export async function keepSecret(key: ResourceKey, uid: string, context: Releasing): Promise<boolean> {
  const current = await context.kubernetes.get(wholeMetadata, key);
  if (current?.metadata.uid !== uid) return true;
  if (current.metadata.deletionTimestamp !== undefined && hasFinalizer(current, connectionFinalizer)) return false;
  await dropOurFinalizer(current, context);
  return true;
}

/** @param current must have all finalizers, as in a reply of the API server */
async function dropOurFinalizer(current: WatchedSecret, { kubernetes, caches }: Releasing): Promise<void> {
  if (!hasFinalizer(current, connectionFinalizer)) return;
  const patched = await kubernetes.patch(wholeMetadata, keyOf(current), { metadata: withoutFinalizer(current, connectionFinalizer) });
  if (isGone(patched)) caches.connectionSecrets.remove(watched(patched));
  else caches.connectionSecrets.wrote(watched(patched));
}

/** Metadata with all finalizers, since they are written back. */
const wholeMetadata: ResourceType<WatchedSecret> = { ...connectionSecrets, parse: (value) => secretShape.parse(value) };

function marks(secret: SecretIdentity, clusterUid: string) {
  const { owner, attempt, id, projectId, isPending, passwordHandled, passwordDigest, passwordUnansweredAt, labels, annotations } = secret;
  return {
    labels: { ...labels, [connectionLabel]: 'true' },
    annotations: {
      ...annotations,
      [connectionAnnotations.owner]: ownerText(owner),
      [connectionAnnotations.ownerUid]: owner.metadata.uid,
      [connectionAnnotations.clusterUid]: clusterUid,
      ...(isPending === true ? {} : { [connectionAnnotations.asked]: askedText({ labels, annotations }) }),
      ...(isPending === true ? { [connectionAnnotations.pending]: 'true' } : {}),
      ...(attempt === undefined ? {} : { [connectionAnnotations.attempt]: attempt }),
      ...(id === undefined ? {} : { [connectionAnnotations.id]: id }),
      ...(projectId === undefined ? {} : { [connectionAnnotations.projectId]: projectId }),
      ...(passwordHandled === undefined ? {} : { [connectionAnnotations.passwordHandled]: passwordHandled }),
      ...(passwordDigest === undefined ? {} : { [connectionAnnotations.passwordDigest]: passwordDigest }),
      ...(passwordUnansweredAt === undefined ? {} : { [connectionAnnotations.passwordUnansweredAt]: passwordUnansweredAt }),
    },
  };
}

export type Provenance = Pick<SecretIdentity, 'attempt' | 'passwordHandled' | 'passwordDigest' | 'passwordUnansweredAt'>;

/**
 * The metadata of a Secret, without the annotations about create and password if these are about another resource than this one: what was handled for that
 * one is still to be done. The digest stays, since it says itself whose password it identifies.
 */
export function saidOf(secret: WatchedSecret, id: string | undefined): WatchedSecret['metadata'] {
  if (isOf(secret, id)) return secret.metadata;
  const { attempt, passwordHandled, passwordUnansweredAt } = connectionAnnotations;
  const { [attempt]: _create, [passwordHandled]: _origin, [passwordUnansweredAt]: _at, ...annotations } = secret.metadata.annotations ?? {};
  return { ...secret.metadata, annotations };
}

/** The annotations of a Secret about create and password of this resource, for a Secret that replaces it. */
export function provenance(secret: WatchedSecret, id: string | undefined): Provenance {
  const texts = (isOf(secret, id) ? secret.metadata.annotations : undefined) ?? {};
  return {
    attempt: texts[connectionAnnotations.attempt],
    passwordHandled: texts[connectionAnnotations.passwordHandled],
    passwordDigest: texts[connectionAnnotations.passwordDigest],
    passwordUnansweredAt: texts[connectionAnnotations.passwordUnansweredAt],
  };
}

function encode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]));
}
