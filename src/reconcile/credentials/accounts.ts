import {
  keyOf,
  objectReference,
  resourceKey,
  type KubernetesClient,
  type ObjectCache,
  type ObjectReference,
  type ResourceKey,
  backOffMs,
  type Clock,
} from '../../runtime/index.ts';
import { credentialsFinalizer, credentialsLabel } from '../../resources/annotations.ts';
import { apiKeyIn, secretsWithData } from '../../resources/connection-secret.ts';
import type { SecretMetadata } from '../../resources/secret-metadata.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ProjectApi, CloudApi } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ProjectObserver } from '../../cloud/project-observer.ts';
import type { RateLimiter } from '../../cloud/rate-limiter.ts';
import type { ProjectId } from '../../cloud/wire/account.ts';
import { hash as digest } from 'node:crypto';
import type { CredentialsSecret, KeyState, UnusableKey } from './key-state.ts';

/** The accounts of all objects. Objects with the same key share its client and its lists. */
export interface Accounts {
  /** The object uses its key from now on, and is woken by the key's changes. */
  of(object: ManagedObject): Promise<ObservedAccount>;
  forget(user: ObjectReference): void;
  close(): void;
}

interface AccountsOptions {
  readonly kubernetes: Pick<KubernetesClient, 'get'>;
  /** Labelled credentials Secrets, without data. */
  readonly heldSecrets: ObjectCache<SecretMetadata>;
  /** Called for each use; undefined when the operator has no own key. */
  readonly ownKey: () => Promise<string | undefined>;
  /** Default: for readers of status, who do not have this key. */
  readonly ownKeyWords?: OwnKeyWords | undefined;
  /** Namespaces that may leave out credentialsRef; `*` for all. */
  readonly ownKeyNamespaces: readonly string[];
  readonly openKey: (apiKey: string, operatorsOwn: boolean) => ApiKey;
  readonly wake: (users: ReadonlySet<ObjectReference>) => void;
}

/** Words about the operator's own key, for the reader of the message. */
export interface OwnKeyWords {
  readonly missing: { readonly problem: string; readonly remedy: string };
  /** The end of "the cloud does not accept …". */
  readonly rejected: string;
}

const forReadersOfStatus: OwnKeyWords = {
  missing: {
    problem: 'spec.credentialsRef is not set and the operator has no own key',
    remedy: 'set spec.credentialsRef',
  },
  rejected: "the operator's own key: ask the administrator of the operator for a valid key",
};

const keyName = 'apiKey';

/** Makes the accounts of a process. */
export function accounts({
  kubernetes,
  heldSecrets,
  ownKey,
  ownKeyWords = forReadersOfStatus,
  ownKeyNamespaces,
  openKey,
  wake,
}: AccountsOptions): Accounts {
  const keys = usedKeys(openKey, wake);
  const ownAccount = async (namespace: string, user: ObjectReference): Promise<ObservedAccount> => {
    if (!ownKeyNamespaces.includes('*') && !ownKeyNamespaces.includes(namespace))
      return missing(
        `namespace "${namespace}" may not use the operator's own key`,
        `set spec.credentialsRef to a Secret with the key ${keyName}`,
      );
    const text = await ownKey();
    const { missing: lacking, rejected } = ownKeyWords;
    return text
      ? proven(keys.open(text, true, user), undefined, rejected)
      : missing(lacking.problem, lacking.remedy);
  };
  const secretAccount = async (
    namespace: string,
    name: string,
    user: ObjectReference,
  ): Promise<ObservedAccount> => {
    const place = resourceKey(namespace, name);
    const secret = `Secret "${name}" in namespace "${namespace}"`;
    let { metadata } = heldSecrets.get(place) ?? {};
    let key = metadata && keys.known(place, metadata.resourceVersion, user);
    if (!key) {
      const live = await kubernetes.get(secretsWithData, place);
      if (!live) {
        const remedy = `kubectl create secret generic ${name} -n ${namespace} --from-literal=${keyName}=<key>`;
        return missing(
          `spec.credentialsRef "${name}" not found in namespace "${namespace}"`,
          remedy,
        );
      }
      ({ metadata } = live);
      const value = apiKeyIn(live, keyName);
      if (value.state === 'notText')
        return missing(
          `the key ${keyName} of ${secret} is not text (UTF-8)`,
          'put the API key there',
        );
      if (value.state === 'text')
        key = keys.open(value.text, false, user, {
          place,
          resourceVersion: metadata.resourceVersion,
        });
    }
    if (!key || !metadata)
      return missing(`${secret} has no key ${keyName}`, 'put the API key there');
    return proven(
      key,
      credentialsSecretOf(metadata),
      `the key ${keyName} of ${secret}: put a valid API key there`,
    );
  };
  return {
    forget: (user) => keys.forget(user),
    close: () => keys.close(),
    of(object) {
      const user = objectReference(object.kind, keyOf(object));
      const { namespace } = object.metadata;
      const name = object.spec.credentialsRef?.name;
      return name === undefined
        ? ownAccount(namespace, user)
        : secretAccount(namespace, name, user);
    },
  };
}

function missing(problem: string, remedy: string): ObservedAccount {
  return { state: 'missing', problem, remedy };
}

/**
 * The account of a key, as far as the cloud has proved it.
 * @param advice the end of the message for a rejected key
 */
async function proven(
  key: ApiKey,
  secret: CredentialsSecret | undefined,
  advice: string,
): Promise<ObservedAccount> {
  const observed = await key.prove();
  if (observed.state === 'rejected')
    return { state: 'rejected', message: `the cloud does not accept ${advice}` };
  return observed.state === 'usable' ? { ...observed, secret } : observed;
}

function credentialsSecretOf(metadata: SecretMetadata['metadata']): CredentialsSecret {
  const { namespace, name, labels, finalizers = [], deletionTimestamp } = metadata;
  return {
    namespace,
    name,
    held: labels?.[credentialsLabel] === 'true' && finalizers.includes(credentialsFinalizer),
    terminating: deletionTimestamp !== undefined,
  };
}

/** An API key that /auth/info has proven. */
export interface Account {
  readonly projectId: ProjectId;
  readonly project: ProjectApi;
  readonly observer: ProjectObserver;
  readonly limiter: RateLimiter;
  /** Whether it is the operator's own key, which reaches resources that the namespace has no right to. */
  readonly operatorsOwn: boolean;
}

/** The key of an object with its clients, as far as the cloud has proved it: a {@link KeyState} for acts. */
export type ObservedAccount =
  | UnusableKey
  | {
      readonly state: 'usable';
      readonly account: Account;
      readonly secret: CredentialsSecret | undefined;
    };

interface UsedKey {
  readonly apiKey: ApiKey;
  readonly users: Set<ObjectReference>;
}

/** A key is opened once for all its objects, and closed with the last of them. An object uses the last key that it opened, and no other. */
function usedKeys(openKey: AccountsOptions['openKey'], wake: AccountsOptions['wake']) {
  // By hash: only the client has the key itself, and only while objects use it.
  const keys = new Map<string, UsedKey>();
  const hashOfUser = new Map<ObjectReference, string>();
  const hashInSecret = new Map<
    ResourceKey,
    { readonly resourceVersion: string; readonly hash: string }
  >();
  let isClosed = false;

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
  const use = (hash: string, used: UsedKey, user: ObjectReference): ApiKey => {
    if (hashOfUser.get(user) !== hash) forget(user);
    used.users.add(user);
    hashOfUser.set(user, hash);
    return used.apiKey;
  };
  const opened = (hash: string, apiKey: ApiKey): UsedKey => {
    const used = { apiKey, users: new Set<ObjectReference>() };
    apiKey.onChange(() => wake(used.users));
    keys.set(hash, used);
    if (isClosed) apiKey.close();
    return used;
  };
  return {
    forget,
    open(
      apiKey: string,
      operatorsOwn: boolean,
      user: ObjectReference,
      source?: { readonly place: ResourceKey; readonly resourceVersion: string },
    ): ApiKey {
      const hash = digest('sha256', `${operatorsOwn} ${apiKey}`);
      const key = use(hash, keys.get(hash) ?? opened(hash, openKey(apiKey, operatorsOwn)), user);
      if (source) hashInSecret.set(source.place, { resourceVersion: source.resourceVersion, hash });
      return key;
    },
    /** The open key of a Secret, if the Secret has not changed since. */
    known(place: ResourceKey, resourceVersion: string, user: ObjectReference): ApiKey | undefined {
      const known = hashInSecret.get(place);
      const used = known?.resourceVersion === resourceVersion ? keys.get(known.hash) : undefined;
      return known && used && use(known.hash, used, user);
    },
    close() {
      isClosed = true;
      for (const { apiKey } of keys.values()) apiKey.close();
    },
  };
}

/** The account without its clients. */
export function keyStateOf(observed: ObservedAccount): KeyState {
  if (observed.state !== 'usable') return observed;
  const { projectId, operatorsOwn } = observed.account;
  return { state: 'usable', projectId, operatorsOwn, secret: observed.secret };
}

type ObservedKey =
  | { readonly state: 'usable'; readonly account: Account }
  | { readonly state: 'rejected' }
  | { readonly state: 'unavailable'; readonly error: CloudError };

/** An API key and its state. A single timer probes a rejected or unreachable key, not each object. */
export interface ApiKey {
  prove(): Promise<ObservedKey>;
  onChange(listener: () => void): void;
  close(): void;
}

/** The client of a key, and the outcomes of its calls. */
export interface KeyClient {
  readonly api: CloudApi;
  readonly limiter: RateLimiter;
  onOutcome(listener: (outcome: 'ok' | CloudError['kind']) => void): void;
  close(): void;
}

interface ApiKeyOptions {
  readonly client: KeyClient;
  readonly operatorsOwn: boolean;
  readonly clock: Clock;
  readonly observe: (api: CloudApi, projectId: ProjectId) => ProjectObserver;
}

/** Long delays, so that many rejected keys cost the cloud few calls. A new text in the Secret is a new key, and is probed at once. */
const afterRejection = { firstMs: 60_000, longestMs: 600_000 };
const afterFailure = { firstMs: 1_000, longestMs: 60_000 };

/**
 * Makes the state of an API key, which calls of all its objects share. The first call proves the
 * key.
 */
export function openApiKey({ client, operatorsOwn, clock, observe }: ApiKeyOptions): ApiKey {
  const { api, limiter } = client;
  const listeners: (() => void)[] = [];
  let account: Account | undefined;
  let observed: ObservedKey | undefined;
  let asking: Promise<ObservedKey> | undefined;
  let probe: Disposable | undefined;
  let failures = 0;
  let rejections = 0;
  let isClosed = false;

  const changed = () => {
    for (const listener of listeners) listener();
  };
  const again = (delayMs: number) => {
    if (isClosed) return;
    probe?.[Symbol.dispose]();
    probe = clock.schedule(delayMs, () => {
      observed = undefined;
      void ask().then(changed);
    });
  };
  client.onOutcome((outcome) => {
    // A single 401 does not prove that the key is invalid.
    if (observed?.state !== 'usable' || asking || outcome !== 'unauthorized') return;
    void askOnce().then(({ state }) => state !== 'usable' && changed());
  });
  const ask = async (): Promise<ObservedKey> => {
    const info = await orCloudError(api.getCredentialsInfo());
    if (info instanceof CloudError && info.kind !== 'unauthorized' && info.kind !== 'forbidden') {
      observed = { state: 'unavailable', error: info };
      again(backOffMs(failures++, afterFailure, 0));
      return observed;
    }
    const projectId = info instanceof CloudError ? undefined : info.apiKey.project.id;
    if (projectId !== undefined)
      account ??= {
        projectId,
        project: api.project(projectId),
        observer: observe(api, projectId),
        limiter,
        operatorsOwn,
      };
    // A key that was moved to another project reaches none of its resources.
    if (!account || account.projectId !== projectId) {
      observed = { state: 'rejected' };
      again(backOffMs(rejections++, afterRejection, 0));
      return observed;
    }
    failures = 0;
    rejections = 0;
    observed = { state: 'usable', account };
    return observed;
  };
  const askOnce = (): Promise<ObservedKey> =>
    (asking ??= ask().finally(() => {
      asking = undefined;
    }));

  return {
    onChange: (listener) => void listeners.push(listener),
    prove: () => (observed ? Promise.resolve(observed) : askOnce()),
    close() {
      isClosed = true;
      probe?.[Symbol.dispose]();
      account?.observer.stop();
      client.close();
    },
  };
}
