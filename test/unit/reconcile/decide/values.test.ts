import { expect, test } from 'vitest';
import { service } from '../../../../src/cloud/wire/service.ts';
import { driftFieldsOf } from '../../../../src/reconcile/decide/pending-change.ts';
import { replicaSetChanges } from '../../../../src/reconcile/kinds/replica-set/fields.ts';
import { serviceChanges, mirrorOf } from '../../../../src/reconcile/kinds/service/fields.ts';
import { serviceChanges as rows } from '../../../support/service-values.ts';

test('drift of a service is compared by the text of each value, at its path in the spec', () => {
  const everyValue = rows.reduce((before, { inCloud }) => ({ ...before, ...inCloud }), {});
  expect(
    driftFieldsOf(
      serviceChanges,
      mirrorOf(service.parse({ service_id: 's1', ...everyValue, status: 'READY' })),
    ),
  ).toEqual({
    powerState: 'Running',
    ...Object.fromEntries(rows.map(({ drift: [path, text] }) => [path, text])),
  });
});

test('drift of a value that the cloud leaves out is compared by what counts then', () => {
  expect(driftFieldsOf(serviceChanges, { name: 'orders', status: 'READY' })).toEqual({
    powerState: 'Running',
    ...Object.fromEntries(rows.map(({ drift: [path, , textOfNone] }) => [path, textOfNone])),
  });
});

test('drift of a replica set has its three values', () => {
  expect(
    driftFieldsOf(replicaSetChanges, {
      cpuMillis: 500,
      memoryGbs: 2,
      metadata: { environment: 'DEV' },
    }),
  ).toEqual({
    'cpuMillis/memoryGbs': '500m/2GB',
    environment: 'DEV',
    'connectionPooler.enabled': false,
  });
});
