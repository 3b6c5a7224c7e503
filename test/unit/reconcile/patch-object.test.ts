import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { patchMetadata } from '../../../src/reconcile/act/patch-object.ts';
import { objectCache } from '../../../src/runtime/index.ts';
import { serviceObject } from '../../support/situation.ts';

/**
 * The API server refuses a patch with another uid or resourceVersion than it has. Another resourceVersion alone would not do: after a restore of etcd, an
 * object that is made anew may get the one that the lost object had.
 */
test('a patch goes to the object that was seen, in the version that was seen', async () => {
  const bodies: unknown[] = [];
  const caches = operatorCaches({ cache: () => objectCache([undefined]) });
  await patchMetadata(
    serviceObject(),
    { annotations: { team: 'shop' } },
    {
      caches,
      kubernetes: {
        patch(type, _key, body) {
          bodies.push(body);
          return Promise.resolve(type.parse(serviceObject()));
        },
      },
    },
  );
  expect(bodies).toEqual([{ metadata: { uid: 'uid', resourceVersion: '1', annotations: { team: 'shop' } } }]);
});
