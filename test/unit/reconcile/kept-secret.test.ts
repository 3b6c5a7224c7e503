import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { keepSecret } from '../../../src/reconcile/connection/store.ts';
import { connectionFinalizer } from '../../../src/resources/annotations.ts';
import { keyOf, objectCache, type KubernetesClient } from '../../../src/runtime/index.ts';
import { connectionSecret } from '../../support/our-secret.ts';

/** The finalizer comes off a Secret that stays, and off none that would go with it. The API server is asked: the cache may not know yet that it was deleted. */

const deletionTimestamp = '2026-11-21T12:00:00Z';
const hook = 'example.com/hook';

test.each([
  ['that stays', {}, { isKept: true, patches: 1 }],
  ['that was deleted a moment ago', { deletionTimestamp }, { isKept: false, patches: 0 }],
  [
    'that was deleted and that a hook holds, too',
    { deletionTimestamp, finalizers: [hook, connectionFinalizer] },
    { isKept: false, patches: 0 },
  ],
  ['that was deleted and that a hook alone holds', { deletionTimestamp, finalizers: [hook] }, { isKept: true, patches: 0 }],
  ['that somebody made in its place', { uid: 'another' }, { isKept: true, patches: 0 }],
])('a Secret %s', async (_, metadata, expected) => {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) });
  const cached = connectionSecret();
  let patches = 0;
  const cluster: Pick<KubernetesClient, 'get' | 'patch'> = {
    get: (type) => Promise.resolve(type.parse(connectionSecret({ metadata }))),
    patch(type) {
      patches += 1;
      return Promise.resolve(type.parse(connectionSecret({ metadata: { ...metadata, finalizers: [], resourceVersion: '2' } })));
    },
  };
  const isKept = await keepSecret(keyOf(cached), cached.metadata.uid, { caches, kubernetes: cluster });
  expect({ isKept, patches }).toEqual(expected);
});
