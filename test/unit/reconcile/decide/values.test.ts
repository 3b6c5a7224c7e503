import { expect, test } from 'vitest';
import { service } from '../../../../src/cloud/wire/service.ts';
import { driftFieldsOf } from '../../../../src/reconcile/decide/pending-change.ts';
import { replicaSetKind } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { vpcKind } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { driftOf } from '../../../../src/reconcile/report/events.ts';
import { replicaSetChanges } from '../../../../src/reconcile/kinds/replica-set/fields.ts';
import { serviceChanges, mirrorOf } from '../../../../src/reconcile/kinds/service/fields.ts';
import type { Mirror } from '../../../../src/reconcile/kinds/service/situation.ts';
import { serviceChanges as rows } from '../../../support/service-values.ts';

/** A service as status shows it, with each value of a spec. */
const shown: Mirror = {
  name: 'orders',
  status: 'READY',
  resources: [{ spec: { cpuMillis: 1000, memoryGbs: 4 } }],
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  metadata: { environment: 'PROD' },
};

test('drift of a service is compared by the text of each value, at its path in the spec', () => {
  const everyValue = rows.reduce((before, { inCloud }) => ({ ...before, ...inCloud }), {});
  expect(driftFieldsOf(serviceChanges, mirrorOf(service.parse({ service_id: 's1', ...everyValue, status: 'READY' })), 'cloud')).toEqual({
    powerState: 'Running',
    ...Object.fromEntries(rows.map(({ drift: [path, text] }) => [path, text])),
  });
});

test('drift of a value that the cloud leaves out is compared by what counts then', () => {
  expect(driftFieldsOf(serviceChanges, { name: 'orders', status: 'READY' }, 'cloud')).toEqual({
    powerState: 'Running',
    ...Object.fromEntries(rows.map(({ drift: [path, , textOfNone] }) => [path, textOfNone])),
  });
});

test('drift of a replica set has its three values', () => {
  expect(driftFieldsOf(replicaSetChanges, { cpuMillis: 500, memoryGbs: 2, metadata: { environment: 'DEV' } }, 'cloud')).toEqual({
    'cpuMillis/memoryGbs': '500m/2GB',
    environment: 'DEV',
    'connectionPooler.enabled': false,
  });
});

/** A status with all values, and the same status as an earlier version wrote it that knew none of them. */
test.each([
  [serviceKind, { vpcId: 'v1', service: { ...shown, connectionPooler: { endpoint: { host: 'h', port: 6432 } } } }, { service: {} }],
  [replicaSetKind, { replicaSet: { cpuMillis: 500, memoryGbs: 2, metadata: { environment: 'DEV' } } }, { replicaSet: {} }],
  [vpcKind, { vpc: { name: 'net' } }, { vpc: {} }],
] as const)(
  'a value that the status of an earlier version lacks is not reported as changed elsewhere: $0.type.kind',
  (kind, now, earlier) => {
    const after = kind.driftFields(now, 'cloud');
    expect(driftOf(kind.driftFields(earlier, 'status'), after)).toEqual([]);
    expect(driftOf(kind.driftFields(now, 'status'), after)).toEqual([]);
    expect(driftOf(kind.driftFields(now, 'status'), kind.driftFields(earlier, 'cloud')).length).toBeGreaterThan(0);
  },
);
