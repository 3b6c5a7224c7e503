import { hash as digest } from 'node:crypto';
import type { ObjectReference, ResourceKey } from '../../runtime/index.ts';
import type { ApiKey } from './api-key.ts';

/** A key is opened once for all its objects, and closed with the last of them. */
export interface UsedKeys {
  /** The object uses this key from now on, and no other. */
  open(apiKey: string, operatorsOwn: boolean, user: ObjectReference): ApiKey;
  openFrom(source: KeySource, apiKey: string, user: ObjectReference): SecretKey;
  /** The open key of a Secret, if the Secret has not changed since. */
  known(source: KeySource, user: ObjectReference): SecretKey | undefined;
  forget(user: ObjectReference): void;
  close(): void;
}

/** A Secret with its version. */
interface KeySource {
  readonly place: ResourceKey;
  readonly resourceVersion: string;
}

interface SecretKey {
  readonly apiKey: ApiKey;
  /** The resourceVersion in which this process first saw the key. A write that leaves the key alone does not change it. */
  readonly keyVersion: string;
}

export interface UsedKeysOptions {
  readonly openKey: (apiKey: string, operatorsOwn: boolean) => ApiKey;
  readonly wake: (users: ReadonlySet<ObjectReference>) => void;
}

interface UsedKey {
  readonly apiKey: ApiKey;
  readonly users: Set<ObjectReference>;
}

export function usedKeys({ openKey, wake }: UsedKeysOptions): UsedKeys {
  // By hash: only the client has the key itself, and only while objects use it.
  const keys = new Map<string, UsedKey>();
  const hashOfUser = new Map<ObjectReference, string>();
  const hashInSecret = new Map<ResourceKey, { readonly resourceVersion: string; readonly keyVersion: string; readonly hash: string }>();
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
  const use = (hash: string, user: ObjectReference, used: UsedKey): ApiKey => {
    if (hashOfUser.get(user) !== hash) forget(user);
    used.users.add(user);
    hashOfUser.set(user, hash);
    return used.apiKey;
  };
  const opened = (hash: string, apiKey: string, operatorsOwn: boolean): UsedKey => {
    const users = new Set<ObjectReference>();
    const used = { apiKey: openKey(apiKey, operatorsOwn), users };
    used.apiKey.onChange(() => wake(users));
    keys.set(hash, used);
    if (isClosed) used.apiKey.close();
    return used;
  };
  const open: UsedKeys['open'] = (apiKey, operatorsOwn, user) => {
    const hash = hashOf(apiKey, operatorsOwn);
    return use(hash, user, keys.get(hash) ?? opened(hash, apiKey, operatorsOwn));
  };
  return {
    open,
    openFrom({ place, resourceVersion }, apiKey, user) {
      const hash = hashOf(apiKey, false);
      const before = hashInSecret.get(place);
      const keyVersion = before?.hash === hash ? before.keyVersion : resourceVersion;
      const key = open(apiKey, false, user);
      hashInSecret.set(place, { resourceVersion, keyVersion, hash });
      return { apiKey: key, keyVersion };
    },
    known({ place, resourceVersion }, user) {
      const known = hashInSecret.get(place);
      if (known?.resourceVersion !== resourceVersion) return undefined;
      const used = keys.get(known.hash);
      return used && { apiKey: use(known.hash, user, used), keyVersion: known.keyVersion };
    },
    forget,
    close() {
      isClosed = true;
      for (const { apiKey } of keys.values()) apiKey.close();
    },
  };
}

function hashOf(apiKey: string, operatorsOwn: boolean): string {
  return digest('sha256', `${operatorsOwn} ${apiKey}`);
}
