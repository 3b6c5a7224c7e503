import { expect, test } from 'vitest';
import { driftFieldsOf, fieldsOf, isAsRequested } from '../../../../src/reconcile/decide/field.ts';
import type { ChangeSituation } from '../../../../src/reconcile/decide/pending-change.ts';
import { replicaSetChanges } from '../../../../src/reconcile/kinds/replica-set/fields.ts';
import { serviceChanges } from '../../../../src/reconcile/kinds/service/fields.ts';
import type { Mirror } from '../../../../src/reconcile/kinds/service/mirror.ts';
import { serviceSituation } from '../../../support/situation.ts';

/** A service as status shows it, with a value in each field that the spec may change. */
const shown: Mirror = {
  name: 'orders',
  status: 'READY',
  resources: [{ spec: { cpuMillis: 1000, memoryGbs: 4 } }],
  haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
  metadata: { environment: 'PROD' },
  connectionPooler: { endpoint: { host: 'h', port: 6432 } },
};

test('drift of a service is compared by the text of each value, at its path in the spec', () => {
  expect(driftFieldsOf(serviceChanges, shown)).toEqual({
    powerState: 'Running',
    'cpuMillis/memoryGbs': '1000m/4GB',
    highAvailability: '2 (1 synchronous)',
    environment: 'PROD',
    'connectionPooler.enabled': true,
  });
});

test('drift of a value that the cloud leaves out is compared by what counts then', () => {
  expect(driftFieldsOf(serviceChanges, { name: 'orders', status: 'READY' })).toEqual({
    powerState: 'Running',
    'cpuMillis/memoryGbs': undefined,
    highAvailability: '0 (0 synchronous)',
    environment: 'none',
    'connectionPooler.enabled': false,
  });
});

test('drift of a replica set has its three values', () => {
  expect(driftFieldsOf(replicaSetChanges, { cpuMillis: 500, memoryGbs: 2, metadata: { environment: 'DEV' } })).toEqual({
    'cpuMillis/memoryGbs': '500m/2GB',
    environment: 'DEV',
    'connectionPooler.enabled': false,
  });
});

type Request = Parameters<typeof isAsRequested>[1];
const request: Request = { cpu_millis: '1000', memory_gbs: '4', environment_tag: 'PROD', replica_count: 2 };
const { resources: _resources, haReplicas: _replicas, metadata: _metadata, ...bare } = shown;

test.each<readonly [sentence: string, request: Request, shown: Mirror, isEqual: boolean]>([
  ['every value is the same', request, shown, true],
  ['nothing was asked for', {}, shown, true],
  ['another CPU was asked for', { ...request, cpu_millis: '2000' }, shown, false],
  ['another memory was asked for', { ...request, memory_gbs: '8' }, shown, false],
  ['a shared size was asked for', { ...request, cpu_millis: 'shared', memory_gbs: 'shared' }, shown, true],
  ['another environment was asked for', { ...request, environment_tag: 'DEV' }, shown, false],
  ['another number of replicas was asked for', { ...request, replica_count: 1 }, shown, false],
  ['the cloud shows none of the values', request, bare, true],
])('whether a service looks as a create asked for: %s', (_sentence, asked, mirror, isEqual) => {
  expect(isAsRequested(serviceChanges, asked, mirror)).toBe(isEqual);
});

test('the fields of a visit share one mirror of the resource', () => {
  const read: string[] = [];
  const field = fieldsOf<ChangeSituation, Mirror, string>({
    mirror({ object }) {
      read.push(object.metadata.name);
      return shown;
    },
    id: () => undefined,
  });
  const name = field({
    name: 'name',
    path: 'name',
    reason: 'Renaming',
    operations: ['renameVpc'],
    shown: (mirror) => mirror.name,
    wanted: () => 'another',
    text: String,
    request: String,
    progress: String,
    change: () => {
      throw new Error('nothing is changed without an id');
    },
  });
  const visit = serviceSituation();
  expect([name.pending(visit), name.pending(visit), name.pending(serviceSituation())]).toEqual([undefined, undefined, undefined]);
  expect(read).toEqual(['orders', 'orders']);
});
