import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { reportInternalError } from '../../../../src/reconcile/report/troubled-visit.ts';
import { keyOf, KubernetesError, objectCache, systemClock } from '../../../../src/runtime/index.ts';
import { serviceObject } from '../../../support/situation.ts';

/** The status of an object that another shard may have by now. (docs/safety.md, Several processes act) */

test('an error is told in the version that was seen: another shard may have written its status since', async () => {
  const object = serviceObject({}, {}, { status: {} });
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  caches.of('ManagedService').wrote(object);
  const bodies: unknown[] = [];
  await reportInternalError(
    serviceKind,
    keyOf(object),
    new KubernetesError({ operation: 'get', kind: 'conflict', status: 409 }),
    {
      caches,
      clock: systemClock,
      shard: { lookMs: 10_000, isOurs: () => true, catchUp: () => Promise.resolve() },
      events: { record: () => undefined },
      kubernetes: {
        get: () => Promise.resolve(undefined),
        patch(type, _key, body) {
          bodies.push(body);
          return Promise.resolve(type.parse(object));
        },
      },
    },
  );
  expect(bodies).toMatchObject([
    { metadata: { resourceVersion: object.metadata.resourceVersion } },
  ]);
});
