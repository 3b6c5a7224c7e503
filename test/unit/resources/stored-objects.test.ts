import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { managedServices, managedServiceStatus } from '../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import { replicaSets } from '../../../src/resources/replica-set.ts';
import { readStatus } from '../../../src/resources/status.ts';

const metadata = {
  name: 'orders',
  namespace: 'shop',
  uid: 'uid-1',
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-11-21T09:30:00Z',
};
const ready = { type: 'Ready', status: 'True', reason: 'Available', message: 'ready', lastTransitionTime: '2026-11-21T09:30:00Z' };

describe('status is read leniently: it is a report, and no way to stop the operator', () => {
  test('a field that is not what it should be counts as absent; the others stay', () => {
    const status = { id: 7, state: 'READY', observedGeneration: 'two', conditions: [ready], service: { status: 3 } };
    expect(readStatus(managedServiceStatus, status)).toEqual({ state: 'READY', conditions: [ready] });
  });

  test('values of the cloud that nobody knows are read as they are', () => {
    const service = { status: 'QUANTUM', serviceType: 'GRAPH', metadata: { environment: 'STAGING' } };
    expect(readStatus(managedServiceStatus, { state: 'QUANTUM', service })).toEqual({ state: 'QUANTUM', service });
  });

  test('a reason that only a newer operator knows does not cost the conditions', () => {
    const tomorrow = { ...ready, reason: 'ReasonOfTomorrow' };
    expect(readStatus(managedServiceStatus, { conditions: [tomorrow] })).toEqual({ conditions: [tomorrow] });
  });

  test('a refusal with a word that only a newer operator knows counts as none: then the attempt is still open, which is the safe side', () => {
    const refusal = { attempt: 'a', failures: 1, at: '2026-11-21T09:30:00Z', message: 'no', stalled: 'ReasonOfTomorrow' };
    expect(readStatus(managedServiceStatus, { refusal })).toEqual({});
  });

  test.each([undefined, null, 'text', 7, [], [{}], true])('%j for a status is an empty one', (status) => {
    expect(readStatus(managedServiceStatus, status)).toEqual({});
  });

  test('whatever stands in a status, reading it gives what its schema says', () => {
    const fields = Object.keys(managedServiceStatus.shape);
    const key = fc.oneof(fc.constantFrom(...fields), fc.string());
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (status) => {
        const read = readStatus(managedServiceStatus, status);
        expect(managedServiceStatus.parse(read)).toEqual(read);
        for (const name of Object.keys(read)) expect(fields).toContain(name);
      }),
    );
  });
});

describe('a stored object', () => {
  test.each([
    [managedVpcs, { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' }],
    [managedServices, {}],
    [managedServices, { cpuMillis: 'shared', memoryGbs: 'shared', highAvailability: { replicaCount: 1 } }],
    [replicaSets, { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4, selector: { matchLabels: { app: 'x' } } }],
  ] as const)('of $0.kind is read with its spec, however its status looks', (type, spec) => {
    const read = type.parse({ apiVersion: 'managed-db.io/v1alpha1', kind: type.kind, metadata, spec, status: 'broken' });
    const { selector: _ignored, ...kept } = { selector: undefined, ...spec };
    expect(read).toEqual({ apiVersion: 'managed-db.io/v1alpha1', kind: type.kind, metadata, spec: kept, status: {} });
  });

  test('keeps of its metadata what the operator needs', () => {
    const managedFields = [{ manager: 'kubectl' }];
    const annotations = { 'managed-db.io/external-id': 'x' };
    const read = managedServices.parse({ metadata: { ...metadata, managedFields, annotations, finalizers: ['f'] }, spec: {} });
    expect(read.metadata).toEqual({ ...metadata, annotations, finalizers: ['f'] });
  });

  test('keeps nothing of what others write into it, of whatever size', () => {
    const large = 'x'.repeat(200_000);
    const ours = { 'managed-db.io/external-id': 'x', 'reconcile.managed-db.io/requestedAt': 'now' };
    const theirs = {
      'kubectl.kubernetes.io/last-applied-configuration': large,
      'notmanaged-db.io/x': large,
      'managed-db.iox/y': large,
      z: large,
    };
    const spec = { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4 };
    const read = replicaSets.parse({
      metadata: { ...metadata, annotations: { ...theirs, ...ours }, labels: theirs, managedFields: [{ fieldsV1: { large } }] },
      spec: { ...spec, selector: { large }, template: { large } },
    });
    expect(read.metadata).toEqual({ ...metadata, annotations: ours, labels: {} });
    expect(read.spec).toEqual(spec);
    expect(JSON.stringify(read).length).toBeLessThan(1_000);
  });

  test('has the default of the schema where the API server has not written it', () => {
    const { spec } = managedServices.parse({ metadata, spec: { password: { secretRef: { name: 'mine' } } } });
    expect(spec.password?.secretRef?.key).toBe('password');
  });

  test.each([
    [managedVpcs, { cidr: '10.0.0.0/16' }, 'spec.regionCode'],
    [managedServices, { cpuMillis: 'many' }, 'spec.cpuMillis'],
    [managedServices, { fork: { strategy: 'LATER' } }, 'spec.fork.strategy'],
    [replicaSets, { nodes: 1.5, cpuMillis: 1, memoryGbs: 1 }, 'spec.nodes'],
  ] as const)('with a broken spec is an error that names the field', (type, spec, field) => {
    const issues = () => {
      try {
        type.parse({ metadata, spec });
      } catch (error) {
        if (error instanceof z.ZodError) return error.issues.map(({ path }) => path.join('.'));
      }
      return [];
    };
    expect(issues()).toEqual([field]);
  });
});
