import { createHash } from 'node:crypto';
import { keyOf, resourceKey, type ResourceKey } from '../runtime/kubernetes-object.ts';
import type { KubernetesClient } from '../runtime/kubernetes-client.ts';
import type { ObjectCache } from '../runtime/object-cache.ts';
import { credentialsFinalizer, credentialsLabel } from '../resources/annotations.ts';
import type { AccountSight, CredentialsSecret } from './account.ts';
import { secretsWithData, type SecretWithData } from './connection/connection-secret.ts';
import type { ApiKey } from './credentials/api-key.ts';
import type { SecretMetadata } from './credentials/secret-metadata.ts';
import type { ManagedObject } from './situation.ts';
import { userOf, type User } from './user.ts';

/** Finds the way to the cloud for an object: which key, proven, of which project. */
export interface Accounts {
  of(object: ManagedObject): Promise<AccountSight>;
  /** The object is gone: nothing about its key needs to be told to it any more. */
  forget(user: User): void;
}

export interface AccountsOptions {
  readonly kubernetes: KubernetesClient;
  /** Credentials Secrets that carry our label, without data. */
  readonly heldSecrets: ObjectCache<SecretMetadata>;
  /** The operator's own key, read anew each time; undefined when there is none. */
  readonly ownKey: () => Promise<string | undefined>;
  /** Namespaces that may leave out credentialsRef; `*` is all. */
  readonly ownKeyNamespaces: readonly string[];
  readonly openKey: (apiKey: string, operatorsOwn: boolean) => ApiKey;
  /** Something about the key of these objects changed. */
  readonly wake: (users: ReadonlySet<User>) => void;
}

const keyName = 'apiKey';

export function accounts(options: AccountsOptions): Accounts {
  const keys = new Map<string, { readonly apiKey: ApiKey; readonly users: Set<User> }>();
  const keyOfUser = new Map<User, string>();
  const hashOfSecret = new Map<ResourceKey, { readonly resourceVersion: string; readonly apiKey: string }>();

  const forget = (user: User) => {
    const hash = keyOfUser.get(user);
    keyOfUser.delete(user);
    const used = hash === undefined ? undefined : keys.get(hash);
    if (hash === undefined || !used) return;
    used.users.delete(user);
    if (used.users.size > 0) return;
    used.apiKey.close();
    keys.delete(hash);
  };
  const open = (apiKey: string, user: User, operatorsOwn: boolean): ApiKey => {
    const hash = createHash('sha256').update(`${operatorsOwn} ${apiKey}`).digest('hex');
    if (keyOfUser.get(user) !== hash) forget(user);
    let used = keys.get(hash);
    if (!used) {
      const users = new Set<User>();
      const opened = options.openKey(apiKey, operatorsOwn);
      opened.onChange(() => options.wake(users));
      used = { apiKey: opened, users };
      keys.set(hash, used);
    }
    used.users.add(user);
    keyOfUser.set(user, hash);
    return used.apiKey;
  };
  const keyIn = (secret: SecretWithData, place: ResourceKey): string | undefined => {
    const apiKey = secret.data[keyName]?.trim();
    if (apiKey) hashOfSecret.set(place, { resourceVersion: secret.metadata.resourceVersion, apiKey });
    else hashOfSecret.delete(place);
    return apiKey === '' ? undefined : apiKey;
  };

  const ownAccount = async (user: User, namespace: string): Promise<AccountSight> => {
    if (!options.ownKeyNamespaces.includes('*') && !options.ownKeyNamespaces.includes(namespace)) {
      return {
        state: 'missing',
        message: `namespace "${namespace}" may not use the operator's own key: set spec.credentialsRef to a Secret with the key ${keyName}`,
      };
    }
    const apiKey = await options.ownKey();
    if (!apiKey)
      return {
        state: 'missing',
        message: 'spec.credentialsRef is not set and the operator has no key of its own: set spec.credentialsRef',
      };
    const sight = await open(apiKey, user, true).prove();
    if (sight.state === 'rejected')
      return { state: 'rejected', message: `the cloud does not accept the operator's own key: tell whoever runs the operator` };
    return sight.state === 'usable' ? { ...sight, secret: undefined } : sight;
  };

  const secretAccount = async (user: User, namespace: string, name: string): Promise<AccountSight> => {
    const place = resourceKey(namespace, name);
    const held = options.heldSecrets.get(place);
    const known = hashOfSecret.get(place);
    const words = `Secret "${name}" in namespace "${namespace}"`;
    let secret: CredentialsSecret;
    let apiKey: string | undefined;
    if (held && known?.resourceVersion === held.metadata.resourceVersion) {
      secret = sightOfSecret(namespace, name, held.metadata);
      apiKey = known.apiKey;
    } else {
      const live = await options.kubernetes.get(secretsWithData, place);
      if (!live) {
        return {
          state: 'missing',
          message: `spec.credentialsRef "${name}" not found in namespace "${namespace}": create a Secret of that name with the key ${keyName}`,
        };
      }
      secret = sightOfSecret(namespace, name, live.metadata);
      apiKey = keyIn(live, place);
    }
    if (!apiKey) return { state: 'missing', message: `${words} has no key ${keyName}: put the API key there` };
    const sight = await open(apiKey, user, false).prove();
    if (sight.state === 'rejected')
      return { state: 'rejected', message: `the cloud does not accept the key ${keyName} of ${words}: put a valid API key there` };
    return sight.state === 'usable' ? { ...sight, secret } : sight;
  };

  return {
    forget,
    of(object) {
      const user = userOf(object.kind, keyOf(object));
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
