import { expect, test } from 'vitest';
import { inventory, type Resource } from '../../../src/cli/inventory/inventory.ts';
import { claimsOn, type ClaimOn } from '../../../src/cli/inventory/claims.ts';
import { resourceHash } from '../../../src/reconcile/ledger/entry.ts';
import {
  entryLabels,
  type EntryContent,
  type LedgerEntry,
} from '../../../src/resources/ledger-entry.ts';
import { resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';

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

const named = { kind: 'ManagedService', namespace: 'shop', name: 'before', uid: 'uid-before' };

const inOther = (more: Partial<EntryContent> = {}) =>
  entry('ManagedService', 'a', { projectId: 'other', ...more });

const compared = (
  resources: readonly Resource[],
  entries: readonly EntryContent[],
  alive: readonly string[],
  claimOn: ClaimOn = () => undefined,
) =>
  inventory({
    resources,
    projects: new Set(['prj']),
    entries,
    clusterUid: 'here',
    isWatched: (namespace) => namespace === 'shop',
    exists: (uid) => alive.includes(uid),
    claimOn,
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
    'has the entry of an object of another installation',
    [entry('ManagedService', 'a', { object: { ...named, namespace: 'other' } })],
    [],
    'elsewhere',
  ],
  [
    'has the entries of a living object and of a later object that is gone',
    [entry('ManagedService', 'a'), entry('ManagedService', 'a', { object: named })],
    ['uid-a'],
    'managed',
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

const secret = (content: EntryContent | undefined, hash?: string): LedgerEntry => ({
  metadata: {
    name: 'managedservice-uid-x',
    namespace: 'ledger',
    uid: 'secret',
    resourceVersion: '1',
    labels: hash === undefined ? {} : { [entryLabels.resource]: hash },
  },
  content,
});
const attempt = (name: string, more: object = {}, sameNameIds: readonly string[] = []) => ({
  id: 'attempt',
  at: '2026-11-28T08:00:00Z',
  request: { name, ...more },
  sameNameIds: [...sameNameIds],
});
const { id: _id, ...creating } = entry('ManagedService', 'x');
const creatingSet = { ...creating, object: { ...creating.object, kind: 'ReplicaSet' } };
const living = (kind: Kind, status: object) =>
  resourceTypes[kind].parse({
    metadata: { name: 'x', namespace: 'shop', uid: 'uid-x', resourceVersion: '1', generation: 1 },
    spec: kind === 'ReplicaSet' ? { nodes: 1, cpuMillis: 500, memoryGbs: 2 } : {},
    status,
  });
const x = { namespace: 'shop', name: 'x' };

test.for([
  [
    'the name of an open create',
    resource('ManagedService', 'a'),
    [secret({ ...creating, attempt: attempt('a') })],
    [],
    { object: { ...x, name: 'of-x', kind: 'ManagedService' } },
  ],
  [
    'no name, while a create is open',
    { ...resource('ManagedService', 'a'), name: undefined },
    [secret({ ...creating, attempt: attempt('chosen') })],
    [],
    { object: { ...x, name: 'of-x', kind: 'ManagedService' } },
  ],
  [
    'the name of an open create of its service',
    resource('ReplicaSet', 'a', 'svc'),
    [secret({ ...creatingSet, attempt: attempt('a', { parentId: 'svc' }) })],
    [],
    { object: { ...x, name: 'of-x', kind: 'ReplicaSet' } },
  ],
  [
    'an id that the status of an object without a ledger entry has',
    resource('ManagedService', 'a'),
    [],
    [living('ManagedService', { id: 'a', projectId: 'prj' })],
    { object: { ...x, kind: 'ManagedService' } },
  ],
  [
    'an id and a service that the status of an object without a ledger entry has',
    resource('ReplicaSet', 'a', 'svc'),
    [],
    [living('ReplicaSet', { id: 'a', projectId: 'prj', serviceId: 'svc' })],
    { object: { ...x, kind: 'ReplicaSet' } },
  ],
  [
    'the label of an unreadable ledger entry of a living object',
    resource('ManagedService', 'a'),
    [secret(undefined, resourceHash('ManagedService', 'prj', 'a'))],
    [living('ManagedService', {})],
    { object: { ...x, kind: 'ManagedService' } },
  ],
  [
    'the label of an unreadable ledger entry of an object that is gone',
    resource('ManagedService', 'a'),
    [secret(undefined, resourceHash('ManagedService', 'prj', 'a'))],
    [],
    { object: undefined },
  ],
] as const)(
  'a resource is claimed, and not unmanaged, that has %s',
  ([, wanted, entries, objects, claim]) => {
    const claimOn = claimsOn(entries, objects);
    expect(claimOn(wanted)).toMatchObject(claim);
    const contents = entries.flatMap(({ content }) => content ?? []);
    expect(compared([wanted], contents, ['uid-x'], claimOn)).toEqual([['a', 'claimed']]);
  },
);

test.for([
  ['in another project', { ...creating, projectId: 'other', attempt: attempt('a') }],
  ['of another kind', { ...creatingSet, attempt: attempt('a') }],
  ['of another name', { ...creating, attempt: attempt('b') }],
  ['that began when the resource existed', { ...creating, attempt: attempt('a', {}, ['a']) }],
] as const)('an open create %s claims no resource', ([, content]) => {
  expect(claimsOn([secret(content)], [])(resource('ManagedService', 'a'))).toBeUndefined();
});

test('the status of an object in another project claims no resource', () => {
  const objects = [living('ManagedService', { id: 'a', projectId: 'other' })];
  expect(claimsOn([], objects)(resource('ManagedService', 'a'))).toBeUndefined();
});
