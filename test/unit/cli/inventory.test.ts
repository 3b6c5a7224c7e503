import { expect, test } from 'vitest';
import { inventory, type Resource } from '../../../src/cli/inventory/inventory.ts';
import type { EntryContent } from '../../../src/resources/ledger-entry.ts';

const resource = (kind: Resource['kind'], id: string, parentId?: string): Resource => {
  return {
    kind,
    projectId: 'prj',
    id,
    parentId,
    name: id,
    size: undefined,
    state: 'READY',
    created: undefined,
  };
};
const entry = (kind: string, id: string, more: Partial<EntryContent> = {}): EntryContent => ({
  version: 1,
  object: { kind, namespace: 'shop', name: `of-${id}`, uid: `uid-${id}` },
  clusterUid: 'here',
  projectId: 'prj',
  id,
  passwordNumber: 0,
  hasPassword: false,
  ...more,
});

const inOther = (more: Partial<EntryContent> = {}) =>
  entry('ManagedService', 'a', { projectId: 'other', ...more });

const compared = (
  resources: readonly Resource[],
  entries: readonly EntryContent[],
  alive: readonly string[],
) =>
  inventory({
    resources,
    projects: new Set(['prj']),
    entries,
    clusterUid: 'here',
    exists: (uid) => alive.includes(uid),
  }).map(({ relation, resource: { id } }) => [id, relation]);

test.for([
  ['has no entry', [], [], 'unmanaged'],
  ['has the entry of a living object', [entry('ManagedService', 'a')], ['uid-a'], 'managed'],
  ['has the entry of an object that is gone', [entry('ManagedService', 'a')], [], 'retained'],
  [
    'has the entry of another cluster',
    [entry('ManagedService', 'a', { clusterUid: 'there' })],
    ['uid-a'],
    'elsewhere',
  ],
  [
    'has only an entry of the same id in another kind',
    [entry('ManagedVpc', 'a', { projectId: 'other' })],
    ['uid-a'],
    'unmanaged',
  ],
] as const)('a resource that %s is %s', ([, entries, alive, relation]) => {
  expect(compared([resource('ManagedService', 'a')], entries, alive)).toContainEqual([
    'a',
    relation,
  ]);
});

test.for([
  ['read', 'a living object', 'lost', entry('ManagedService', 'a'), ['uid-a']],
  ['not read', 'a living object', 'unknown', inOther(), ['uid-a']],
  ['not read', 'an object that is gone', 'retained', inOther(), []],
  ['not read', 'another cluster', 'elsewhere', inOther({ clusterUid: 'there' }), ['uid-a']],
] as const)(
  'a resource that the cloud does not show, whose project was %s and that has the entry of %s, is %s',
  ([, , relation, content, alive]) => {
    expect(compared([], [content], alive)).toEqual([['a', relation]]);
  },
);

test('replica sets of two services may have the same id', () => {
  const resources = [resource('ReplicaSet', 'r', 'one'), resource('ReplicaSet', 'r', 'other')];
  const entries = [entry('ReplicaSet', 'r', { parentServiceId: 'one' })];
  expect(compared(resources, entries, ['uid-r']).map(([, relation]) => relation)).toEqual([
    'unmanaged',
    'managed',
  ]);
});
