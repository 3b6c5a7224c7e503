import { connectionFinalizer, connectionLabel } from '../../resources/annotations.ts';
import { keyOf, resourceKey, type ResourceKey } from '../../runtime/kubernetes-object.ts';
import type { Context } from '../context.ts';
import type { ManagedObject, Situation } from '../situation.ts';
import type { ManagedService } from '../../resources/managed-service.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';
import { connectionAnnotations, connectionSecretType, secretsWithData, withoutSecrets, type SecretWithData } from './connection-secret.ts';

/** What a connection Secret says beside its content. */
export interface SecretIdentity {
  readonly owner: ManagedObject;
  readonly name: string;
  readonly attempt: string | undefined;
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  /** Where the password comes from; undefined leaves it as it is. */
  readonly passwordHandled?: string;
  readonly passwordUnansweredAt?: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** How the connection Secret of an object identifies itself once the resource has an id. */
export function secretIdentity(
  owner: ManagedService | ReplicaSet,
  name: string,
  { identity, record }: Pick<Situation, 'identity' | 'record'>,
): SecretIdentity {
  const { labels = {}, annotations = {} } = owner.spec.connectionSecret ?? {};
  const id = identity.state === 'known' ? identity.id : undefined;
  return { owner, name, attempt: undefined, id, projectId: record.projectId, labels, annotations };
}

/** Creates a Secret with our finalizer, label and annotations. @throws {KubernetesError} `alreadyExists` when the name is taken */
export async function createSecret(
  identity: SecretIdentity,
  data: Readonly<Record<string, string>>,
  context: Context,
): Promise<SecretWithData> {
  const { owner } = identity;
  const created = await context.kubernetes.create(secretsWithData, owner.metadata.namespace, {
    apiVersion: 'v1',
    kind: 'Secret',
    type: connectionSecretType,
    metadata: { name: identity.name, finalizers: [connectionFinalizer], ...labelled(identity) },
    data: encode(data),
  });
  context.caches.connectionSecrets.wrote(withoutSecrets(created));
  return created;
}

/** Replaces the content of a Secret of ours, exactly as it was read: a change in between is a conflict. */
export async function replaceSecret(
  current: SecretWithData,
  identity: SecretIdentity,
  data: Readonly<Record<string, string>>,
  context: Context,
): Promise<SecretWithData> {
  const { labels, annotations } = labelled(identity);
  const replaced = await context.kubernetes.replace(secretsWithData, keyOf(current), {
    apiVersion: 'v1',
    kind: 'Secret',
    type: current.type,
    metadata: {
      ...current.metadata,
      labels: { ...current.metadata.labels, ...labels },
      annotations: { ...current.metadata.annotations, ...annotations },
      finalizers: [...new Set([...(current.metadata.finalizers ?? []), connectionFinalizer])],
    },
    data: encode(data),
  });
  context.caches.connectionSecrets.wrote(withoutSecrets(replaced));
  return replaced;
}

/** Reads a Secret as it is now, with its content. */
export async function readSecret(namespace: string, name: string, context: Context): Promise<SecretWithData | undefined> {
  return context.kubernetes.get(secretsWithData, resourceKey(namespace, name));
}

/** Removes a Secret of ours: the deletion first, so that a crash in between leaves one that is still held and still known. */
export async function removeSecret(secret: { readonly metadata: SecretWithData['metadata'] }, context: Context): Promise<void> {
  const { uid, resourceVersion, deletionTimestamp } = secret.metadata;
  const key = keyOf(secret);
  if (!deletionTimestamp) await context.kubernetes.delete(secretsWithData, key, { uid, resourceVersion });
  await letGo(key, uid, context);
}

/** Takes our finalizer off a Secret and leaves the rest as it is. */
export async function letGo(key: ResourceKey, uid: string, context: Context): Promise<void> {
  const current = await context.kubernetes.get(secretsWithData, key);
  if (!current || current.metadata.uid !== uid || !current.metadata.finalizers?.includes(connectionFinalizer)) return;
  const finalizers = current.metadata.finalizers.filter((finalizer) => finalizer !== connectionFinalizer);
  const patched = await context.kubernetes.patch(secretsWithData, key, {
    metadata: { uid, resourceVersion: current.metadata.resourceVersion, finalizers },
  });
  const isGone = patched.metadata.deletionTimestamp !== undefined && finalizers.length === 0;
  const { connectionSecrets } = context.caches;
  if (isGone) connectionSecrets.remove(withoutSecrets(patched));
  else connectionSecrets.wrote(withoutSecrets(patched));
}

export function ownerText(object: ManagedObject): string {
  return `${object.kind}/${object.metadata.name}`;
}

function labelled({ owner, attempt, id, projectId, passwordHandled, passwordUnansweredAt, labels, annotations }: SecretIdentity) {
  return {
    labels: { ...labels, [connectionLabel]: 'true' },
    annotations: {
      ...annotations,
      [connectionAnnotations.owner]: ownerText(owner),
      [connectionAnnotations.ownerUid]: owner.metadata.uid,
      ...(attempt === undefined ? {} : { [connectionAnnotations.attempt]: attempt }),
      ...(id === undefined ? {} : { [connectionAnnotations.id]: id }),
      ...(projectId === undefined ? {} : { [connectionAnnotations.projectId]: projectId }),
      ...(passwordHandled === undefined ? {} : { [connectionAnnotations.passwordHandled]: passwordHandled }),
      ...(passwordUnansweredAt === undefined ? {} : { [connectionAnnotations.passwordUnansweredAt]: passwordUnansweredAt }),
    },
  };
}

function encode(data: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'utf8').toString('base64')]));
}
