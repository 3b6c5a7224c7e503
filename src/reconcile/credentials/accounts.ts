import { createHash } from 'node:crypto';
import {
  keyOf,
  objectReference,
  resourceKey,
  type KubernetesClient,
  type ObjectCache,
  type ObjectReference,
  type ResourceKey,
} from '../../runtime/index.ts';
import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import type { AccountSight, CredentialsSecret } from './account.ts';
import { secretsWithData, type SecretWithData } from '../../resources/connection-secret.ts';
import type { ApiKey } from './api-key.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Finds the way to the cloud for an object: which key, proven, of which project. */
export interface Accounts {
  of(object: ManagedObject): Promise<AccountSight>;
  /** The object is gone: nothing about its key needs to be told to it any more. */
  forget(user: ObjectReference): void;
  /** Nothing goes to the cloud any more: no poll, no probe, no call. */
  close(): void;
}

export interface AccountsOptions {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
  /** Credentials Secrets that carry our label, without data. */
  readonly heldSecrets: ObjectCache<SecretMetadata>;
  /** The operator's own key, read anew each time; undefined when there is none. */
  readonly ownKey: () => Promise<string | undefined>;
  /** Namespaces that may leave out credentialsRef; `*` is all. */
  readonly ownKeyNamespaces: readonly string[];
  readonly openKey: (apiKey: string, operatorsOwn: boolean) => ApiKey;
  /** Something about the key of these objects changed. */
  readonly wake: (users: ReadonlySet<ObjectReference>) => void;
}

const keyName = 'apiKey';

/** A key that objects use. */
interface UsedKey {
  readonly apiKey: ApiKey;
  readonly users: Set<ObjectReference>;
}

export function accounts(options: AccountsOptions): Accounts {
  // By the hash of the key: the key itself is in its client alone, for as long as objects use it.
  const keys = new Map<string, UsedKey>();
  const hashOfUser = new Map<ObjectReference, string>();
  let isClosed = false;
  const hashInSecret = new Map<ResourceKey, { readonly resourceVersion: string; readonly hash: string }>();

  const forget = (user: ObjectReference) => {
    const hash = hashOfUser.get(user);
    hashOfUser.delete(user);
    const used = hash === undefined ? undefined : keys.get(hash);
    if (hash === undefined || !used) return;
    used.users.delete(user);
    if (used.users.size > 0) return;
    used.apiKey.close();
    keys.delete(hash);
    for (const [place, known] of hashInSecret) if (known.hash === hash) hashInSecret.delete(place);
  };
  const use = (hash: string, user: ObjectReference, used: UsedKey): ApiKey => {
    if (hashOfUser.get(user) !== hash) forget(user);
    used.users.add(user);
    hashOfUser.set(user, hash);
    return used.apiKey;
  };
  const open = (hash: string, apiKey: string, user: ObjectReference, operatorsOwn: boolean): ApiKey => {
    const known = keys.get(hash);
    if (known) return use(hash, user, known);
    const users = new Set<ObjectReference>();
    const used = { apiKey: options.openKey(apiKey, operatorsOwn), users };
    used.apiKey.onChange(() => options.wake(users));
    keys.set(hash, used);
    if (isClosed) used.apiKey.close();
    return use(hash, user, used);
  };
  /** Nothing is done with the key that the user had. */
  const missing = (user: ObjectReference, message: string): AccountSight => {
    forget(user);
    return { state: 'missing', message };
  };

  const ownAccount = async (user: ObjectReference, namespace: string): Promise<AccountSight> => {
    if (!options.ownKeyNamespaces.includes('*') && !options.ownKeyNamespaces.includes(namespace)) {
      return missing(
        user,
        `namespace "${namespace}" may not use the operator's own key: set spec.credentialsRef to a Secret with the key ${keyName}`,
      );
    }
    const apiKey = await options.ownKey();
    if (!apiKey) return missing(user, 'spec.credentialsRef is not set and the operator has no key of its own: set spec.credentialsRef');
    const sight = await open(hashOf(apiKey, true), apiKey, user, true).prove();
    if (sight.state === 'rejected')
      return { state: 'rejected', message: `the cloud does not accept the operator's own key: tell whoever runs the operator` };
    return sight.state === 'usable' ? { ...sight, secret: undefined } : sight;
  };

  /** The key of a Secret that has not changed since it was read. */
  const knownKey = (place: ResourceKey, user: ObjectReference): ApiKey | undefined => {
    const known = hashInSecret.get(place);
    if (!known || known.resourceVersion !== options.heldSecrets.get(place)?.metadata.resourceVersion) return undefined;
    const used = keys.get(known.hash);
    return used && use(known.hash, user, used);
  };

  const readKey = (secret: SecretWithData, place: ResourceKey, user: ObjectReference): ApiKey | undefined => {
    const apiKey = secret.data[keyName]?.trim();
    if (!apiKey) return undefined;
    const hash = hashOf(apiKey, false);
    const opened = open(hash, apiKey, user, false);
    hashInSecret.set(place, { resourceVersion: secret.metadata.resourceVersion, hash });
    return opened;
  };

  const secretAccount = async (user: ObjectReference, namespace: string, name: string): Promise<AccountSight> => {
    const place = resourceKey(namespace, name);
    const words = `Secret "${name}" in namespace "${namespace}"`;
    let { metadata } = options.heldSecrets.get(place) ?? {};
    let apiKey = knownKey(place, user);
    if (!apiKey) {
      const live = await options.kubernetes.get(secretsWithData, place);
      if (!live) {
        return missing(
          user,
          `spec.credentialsRef "${name}" not found in namespace "${namespace}": kubectl create secret generic ${name} -n ${namespace} --from-literal=${keyName}=<key>`,
        );
      }
      ({ metadata } = live);
      apiKey = readKey(live, place, user);
    }
    if (!apiKey || !metadata) return missing(user, `${words} has no key ${keyName}: put the API key there`);
    const sight = await apiKey.prove();
    if (sight.state === 'rejected')
      return { state: 'rejected', message: `the cloud does not accept the key ${keyName} of ${words}: put a valid API key there` };
    return sight.state === 'usable' ? { ...sight, secret: sightOfSecret(namespace, name, metadata) } : sight;
  };

  return {
    forget,
    close() {
      isClosed = true;
      for (const { apiKey } of keys.values()) apiKey.close();
    },
    of(object) {
      const user = objectReference(object.kind, keyOf(object));
      const { namespace } = object.metadata;
      const name = object.spec.credentialsRef?.name;
      return name === undefined ? ownAccount(user, namespace) : secretAccount(user, namespace, name);
    },
  };
}

function sightOfSecret(namespace: string, name: string, metadata: SecretMetadata['metadata']): CredentialsSecret {
  return {
    namespace,
    name,
    held: metadata.labels?.[credentialsLabel] === 'true' && (metadata.finalizers ?? []).includes(credentialsFinalizer),
    terminating: metadata.deletionTimestamp !== undefined,
  };
}

function hashOf(apiKey: string, operatorsOwn: boolean): string {
  return createHash('sha256').update(`${operatorsOwn} ${apiKey}`).digest('hex');
}
