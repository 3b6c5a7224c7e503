import { expect, test } from 'vitest';
import { notesOn } from '../../../src/cli/plan/notes.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';

const service = (spec: object, status: object = {}) =>
  managedServices.parse({
    metadata: { name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    spec,
    status,
  });
const replicated = { highAvailability: { replicaCount: 2 } };
const withReplicas = (replicaCount: number) => ({ service: { haReplicas: { replicaCount } } });

type Given = readonly [spec: object, status: object];

test.each<readonly [sentence: string, before: Given, after: Given, notes: readonly string[]]>([
  [
    'that ends the protection of a database',
    [{}, { onDelete: 'Protected' }],
    [{ deletionProtection: false }, { onDelete: 'Delete' }],
    ['kubectl delete deletes the data from now on (status.onDelete: Protected -> Delete)'],
  ],
  [
    'that ends the retention of a database',
    [{ deletionPolicy: 'Retain' }, { onDelete: 'Retain' }],
    [{}, { onDelete: 'Delete' }],
    ['kubectl delete deletes the data from now on (status.onDelete: Retain -> Delete)'],
  ],
  [
    'that protects a database',
    [{}, { onDelete: 'Delete' }],
    [{ deletionProtection: true }, { onDelete: 'Protected' }],
    [],
  ],
  [
    'that omits replicas, which stay',
    [replicated, withReplicas(2)],
    [{}, withReplicas(2)],
    ['kept: 2 high-availability replicas; replicaCount: 0 removes them'],
  ],
  [
    'that omits replicas of which none is there',
    [replicated, withReplicas(0)],
    [{}, withReplicas(0)],
    [],
  ],
  [
    'of a database whose manifest never had replicas',
    [{}, withReplicas(2)],
    [{}, withReplicas(2)],
    [],
  ],
])('a plan has the notes of the table on an edit %s', (_, before, after, notes) => {
  expect(notesOn(service(...before), service(...after))).toEqual(notes);
});

test('a new object and a deleted object have no notes', () => {
  expect(notesOn(undefined, service({}))).toEqual([]);
  expect(notesOn(service({}), undefined)).toEqual([]);
});
