import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import {
  KubernetesError,
  resourceKey,
  type KubernetesClient,
  type ResourceKey,
} from '../../src/runtime/index.ts';
import { merged } from './merged.ts';

const text = z.string();
const named = z.looseObject({ metadata: z.looseObject({ name: text }) });
const lock = z.object({
  metadata: z.object({ uid: text.optional(), resourceVersion: text.optional() }),
});
const place = { name: text, namespace: text, uid: text, resourceVersion: text };
const stored = z.looseObject({
  immutable: z.boolean().optional(),
  metadata: z.looseObject({
    ...place,
    finalizers: z.array(text).optional(),
    deletionTimestamp: text.optional(),
  }),
});

const failed = (kind: KubernetesError['kind'], operation: string) =>
  Promise.reject(new KubernetesError({ operation, kind }));

/**
 * An API server with Secrets alone: locks, finalizers, immutable Secrets, merge patches and dry runs work as in a real
 * API server. `writes` has all writes but dry runs.
 * @param altering a mutating webhook: it returns the Secret that is stored in place of the given Secret
 */
export function secretsInMemory(
  secrets: readonly object[] = [],
  altering: (secret: object) => unknown = (same) => same,
) {
  const keyed = secrets
    .map((each) => stored.parse(each))
    .map((each) => [resourceKey(each.metadata.namespace, each.metadata.name), each] as const);
  const all = new Map(keyed);
  const writes: string[] = [];
  let version = 100;
  const store = (operation: string, secret: unknown, dryRun = false) => {
    const { metadata, ...rest } = stored.parse(altering(stored.parse(secret)));
    version += 1;
    const next = { ...rest, metadata: { ...metadata, resourceVersion: `${version}` } };
    const key = resourceKey(metadata.namespace, metadata.name);
    if (dryRun) return next;
    writes.push(`${operation} ${key}`);
    if (metadata.deletionTimestamp !== undefined && !metadata.finalizers?.length) all.delete(key);
    else all.set(key, next);
    return next;
  };
  const locked = (key: ResourceKey, { uid, resourceVersion }: z.infer<typeof lock>['metadata']) => {
    const { metadata } = all.get(key) ?? {};
    if (!metadata) return 'notFound';
    return [undefined, metadata.uid].includes(uid) &&
      [undefined, metadata.resourceVersion].includes(resourceVersion)
      ? 'fits'
      : 'conflict';
  };
  const kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'> = {
    get: (type, key) => Promise.resolve(all.has(key) ? type.parse(all.get(key)) : undefined),
    create(type, namespace = '', body, { dryRun } = {}) {
      const { metadata, ...rest } = named.parse(body);
      const key = resourceKey(namespace, metadata.name);
      if (all.has(key)) return failed('alreadyExists', `create ${key}`);
      const placed = { ...metadata, namespace, uid: `uid-${version}`, resourceVersion: '' };
      return Promise.resolve(type.parse(store('create', { ...rest, metadata: placed }, dryRun)));
    },
    patch(type, key, body, { dryRun } = {}) {
      const found = locked(key, lock.parse(body).metadata);
      if (found !== 'fits') return failed(found, `patch ${key}`);
      const before = all.get(key);
      const next = stored.parse(merged(before, body));
      const isRefused =
        before?.immutable === true &&
        !(next.immutable === true && isDeepStrictEqual(next['data'], before['data']));
      return isRefused
        ? failed('invalid', `patch ${key}`)
        : Promise.resolve(type.parse(store('patch', next, dryRun)));
    },
    delete(type, key, options = {}) {
      const found = locked(key, options);
      if (found !== 'fits') return failed(found, `delete ${key}`);
      const deleted = store(
        'delete',
        merged(all.get(key), { metadata: { deletionTimestamp: '2026-11-21T12:00:00Z' } }),
      );
      return Promise.resolve(all.has(key) ? type.parse(deleted) : undefined);
    },
  };
  return { kubernetes, writes, all };
}
