import { describe, expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { wireCredentials, wireWakeUps } from '../../../../src/reconcile/wiring/wake-ups.ts';
import { connectionLabel } from '../../../../src/resources/annotations.ts';
import { connectionAnnotations } from '../../../../src/resources/connection-secret.ts';
import {
  ledgerLabel,
  type EntryContent,
  type LedgerEntry,
} from '../../../../src/resources/ledger-entry.ts';
import {
  kinds,
  resourceTypes,
  type Kind,
  type ManagedObject,
} from '../../../../src/resources/managed-object.ts';
import { namespaceMetadata } from '../../../../src/resources/namespace-metadata.ts';
import {
  objectCache,
  type FillableCache,
  type KubernetesObject,
  type ResourceType,
} from '../../../../src/runtime/index.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor, ledgerEntry, unreadableEntry } from '../../../support/ledger-entry.ts';
import { connectionSecret } from '../../../support/our-secret.ts';

interface Given {
  readonly namespace?: string;
  readonly spec?: object;
  readonly status?: object;
  readonly externalId?: string;
}

function object(
  kind: Kind,
  name: string,
  { namespace = 'shop', spec = {}, status, externalId }: Given,
  version = 1,
): ManagedObject {
  const texts =
    externalId === undefined ? {} : { annotations: { 'managed-db.io/external-id': externalId } };
  const uid = `${kind}/${namespace}/${name}`;
  const metadata = {
    name,
    namespace,
    uid,
    resourceVersion: `${version}`,
    generation: version,
    ...texts,
  };
  return resourceTypes[kind].parse({ metadata, spec: { ...spec, name: `v${version}` }, status });
}

/** The objects that a change of the first object wakes, and that an own write of its ledger entry wakes, while the second object exists. */
function woken([kind, name, given]: Thing, other: Thing): readonly (readonly string[])[] {
  const caches = ledgerCache();
  const heard = new Set<string>();
  wireWakeUps(caches, (each, key) => heard.add(`${each}/${key}`));
  const write = (each: ManagedObject) => caches.ofAllKinds[kinds.indexOf(each.kind)]?.wrote(each);
  const since = (act: () => void) => {
    heard.clear();
    act();
    return [...heard];
  };
  write(object(...other));
  record(caches, other);
  write(object(kind, name, given));
  record(caches, [kind, name, given]);
  const ofObject = since(() => write(object(kind, name, given, 2)));
  return [ofObject, since(() => record(caches, [kind, name, given], '2'))];
}

/** Writes the ledger entry of an object. */
function record(
  caches: ReturnType<typeof ledgerCache>,
  [kind, name, given]: Thing,
  version = '1',
): void {
  caches.ledger.entries.wrote(entryFor(object(kind, name, given), {}, version));
}

type Thing = readonly [kind: Kind, name: string, given: Given];
const orders = ['ManagedService', 'orders', { status: { id: 'svc-1' } }] as const;
const prod = ['ManagedVpc', 'prod', { status: { id: 'vpc-1' } }] as const;
const reads = (given: Given): Thing => ['ReplicaSet', 'reads', given];
const shop = (given: Given): Thing => ['ManagedService', 'shop', given];

describe('a change of an object, or of its ledger entry, wakes', () => {
  test.each<readonly [sentence: string, changed: Thing, other: Thing]>([
    [
      'a replica set that names the service',
      orders,
      reads({ spec: { serviceRef: { name: 'orders' } } }),
    ],
    [
      'a service that waits to adopt its resource',
      orders,
      ['ManagedService', 'adopter', { externalId: 'svc-1' }],
    ],
    [
      'a replica set that names the service by its id',
      orders,
      reads({ spec: { serviceId: 'svc-1' } }),
    ],
    [
      'a replica set whose status shows the service, although its spec does not name it',
      orders,
      reads({ status: { id: 'rs-1', serviceId: 'svc-1' } }),
    ],
    [
      'a fork of the service',
      orders,
      shop({ spec: { fork: { strategy: 'NOW', serviceRef: { name: 'orders' } } } }),
    ],
    [
      'a fork of the service that names it by its id',
      orders,
      shop({ spec: { fork: { strategy: 'NOW', serviceId: 'svc-1' } } }),
    ],
    ['a service that names the VPC', prod, shop({ spec: { vpcRef: { name: 'prod' } } })],
    ['a service that names the VPC by its id', prod, shop({ spec: { vpcId: 'vpc-1' } })],
    [
      'a service that is attached to the VPC',
      prod,
      shop({ status: { id: 'svc-2', vpcId: 'vpc-1' } }),
    ],
  ])('%s, and the other way round', (_, changed, other) => {
    const [[kind, name], [otherKind, otherName]] = [changed, other];
    expect(woken(changed, other)).toEqual([
      [`${otherKind}/shop/${otherName}`],
      [`${otherKind}/shop/${otherName}`],
    ]);
    expect(woken(other, changed)[0]).toEqual([`${kind}/shop/${name}`]);
  });
});

test.each<readonly [sentence: string, adopter: Given, expected: readonly string[]]>([
  [
    'wakes an object of another namespace that waits to adopt its resource',
    { externalId: 'svc-1' },
    ['ManagedService/bank/adopter'],
  ],
  ['wakes no object that waits for another resource', { externalId: 'svc-2' }, []],
  [
    'wakes no object that has adopted the resource',
    { externalId: 'svc-1', status: { id: 'svc-1' } },
    [],
  ],
])('an object that is gone %s', (_, given, expected) => {
  const caches = ledgerCache();
  const owner = object(...orders);
  for (const each of [
    owner,
    object('ManagedService', 'adopter', { ...given, namespace: 'bank' }),
    object('ManagedVpc', 'adopter', { ...given, namespace: 'bank' }),
  ])
    caches.ofAllKinds[kinds.indexOf(each.kind)]?.wrote(each);
  const heard = new Set<string>();
  wireWakeUps(caches, (each, key) => heard.add(`${each}/${key}`));
  caches.ofAllKinds[kinds.indexOf(owner.kind)]?.remove(owner);
  expect([...heard]).toEqual(['ManagedService/shop/orders', ...expected]);
});

test.each([
  [
    'gives up wakes the object that wants the Secret',
    { connectionSecret: { name: 'third' } },
    ['ReplicaSet/shop/reads'],
  ],
  ['keeps wakes no other object', { cpuMillis: 2000, memoryGbs: 4 }, []],
])('a connection Secret that a service %s', (_, spec, expected) => {
  const caches = ledgerCache();
  const heard = new Set<string>();
  const write = (each: ManagedObject) => caches.ofAllKinds[kinds.indexOf(each.kind)]?.wrote(each);
  write(object('ManagedService', 'orders', {}));
  write(object('ReplicaSet', 'reads', { spec: { connectionSecret: { name: 'orders-db' } } }));
  write(
    object('ReplicaSet', 'other', {
      namespace: 'bank',
      spec: { connectionSecret: { name: 'orders-db' } },
    }),
  );
  wireWakeUps(caches, (each, key) => heard.add(`${each}/${key}`));
  write(object('ManagedService', 'orders', { spec }, 2));
  expect([...heard]).toEqual(expected);
});

describe('a change of an object, or of its ledger entry, does not wake', () => {
  test.each<readonly [sentence: string, changed: Thing, other: Thing]>([
    ['a replica set of another service', orders, reads({ spec: { serviceId: 'svc-2' } })],
    [
      'a replica set in another namespace',
      orders,
      reads({ namespace: 'other', spec: { serviceId: 'svc-1' } }),
    ],
    [
      'a replica set that names a service of its own namespace',
      orders,
      reads({ namespace: 'other', spec: { serviceRef: { name: 'orders' } } }),
    ],
    [
      'a resource of another kind with the same id',
      ['ManagedVpc', 'prod', { status: { id: 'svc-1' } }],
      reads({ spec: { serviceId: 'svc-1' } }),
    ],
    [
      'a service that has adopted the resource',
      orders,
      ['ManagedService', 'adopter', { externalId: 'svc-1', status: { id: 'svc-1' } }],
    ],
    ['what has no id', ['ManagedService', 'orders', {}], reads({})],
  ])('%s', (_, changed, other) => {
    expect([...woken(changed, other), woken(other, changed)[0]]).toEqual([[], [], []]);
  });
});

describe('a VPC is woken when', () => {
  const at = { id: 'svc-2', vpcId: 'vpc-1' };
  test.each<readonly [sentence: string, before: Given, after: Given]>([
    ['a service is shown in it no more', { status: at }, { status: { id: 'svc-2' } }],
    ['a service names it no more', { spec: { vpcId: 'vpc-1' } }, {}],
  ])('%s', (_, before, after) => {
    const caches = ledgerCache();
    const heard = new Set<string>();
    wireWakeUps(caches, (each, key) => heard.add(`${each}/${key}`));
    const write = (each: ManagedObject) => caches.ofAllKinds[kinds.indexOf(each.kind)]?.wrote(each);
    write(object(...prod));
    write(object('ManagedService', 'shop', before));
    heard.clear();
    const second = object('ManagedService', 'shop', after);
    write({ ...second, metadata: { ...second.metadata, resourceVersion: '2' } });
    expect([...heard]).toEqual(['ManagedVpc/shop/prod']);
  });
});

/** A service with a replica set and a VPC beside it. The test fills the caches as a watch does. */
function watching(hasEntries = true) {
  const filled = new Map<string | undefined, FillableCache<KubernetesObject>>();
  const runtime = {
    cache<T extends KubernetesObject>(
      { kind }: ResourceType<T>,
      labels: object = {},
    ): FillableCache<T> {
      const cache = objectCache<T>([undefined]);
      filled.set(Object.keys(labels)[0] ?? kind, cache);
      return cache;
    },
  };
  const caches = operatorCaches(runtime, 'managed-db-ledger');
  const heard: string[] = [];
  wireWakeUps(caches, (kind, key) => void heard.push(`${kind}/${key}`));
  const things: readonly Thing[] = [
    orders,
    reads({ spec: { serviceRef: { name: 'orders' } } }),
    prod,
  ];
  for (const [kind, name, given] of things) filled.get(kind)?.apply(object(kind, name, given));
  if (hasEntries) for (const thing of things) record(caches, thing);
  heard.length = 0;
  return {
    caches,
    entries: filled.get(ledgerLabel),
    secrets: filled.get(connectionLabel),
    namespaces: filled.get('Namespace'),
    /** The objects that this change wakes. */
    wokenBy: (change: () => unknown) => {
      heard.length = 0;
      change();
      return [...new Set(heard)];
    },
  };
}

const later = { resourceVersion: '2' };
const spoilt = { ...unreadableEntry, metadata: { ...ledgerEntry({}, later).metadata } };
const ofAbsent = ledgerEntry({
  object: { kind: 'ManagedService', namespace: 'shop', name: 'before', uid: 'before' },
});
const ofOrders = entryFor(object(...orders), {}, '1');
const ofUnknownKind = ledgerEntry({
  object: { kind: 'Unknown', namespace: 'shop', name: 'orders', uid: 'uid' },
});

test.each([
  [
    'that another process wrote wakes its object and the replica sets',
    ledgerEntry({}, later),
    ['ManagedService/shop/orders', 'ReplicaSet/shop/reads'],
  ],
  [
    'of an object that the cache does not have wakes that object alone',
    ofAbsent,
    ['ManagedService/shop/before'],
  ],
  ['of an unknown kind wakes no object', ofUnknownKind, []],
  ['that cannot be read any more wakes its object', spoilt, ['ManagedService/shop/orders']],
])('a ledger entry %s', (_, entry, expected) => {
  const { entries, wokenBy } = watching();
  entries?.apply(ledgerEntry());
  expect(wokenBy(() => entries?.apply(entry))).toEqual(expected);
});

test('a ledger entry that the process itself wrote wakes only the replica sets', () => {
  const { caches, wokenBy } = watching();
  expect(wokenBy(() => caches.ledger.entries.wrote(ledgerEntry()))).toEqual([
    'ReplicaSet/shop/reads',
  ]);
});

test('an own write of a ledger entry wakes no visit also if its event comes before the reply, until another process writes the entry', () => {
  const { caches, entries, wokenBy } = watching();
  const own = ledgerEntry({ vpcAttachment: 'vpc-1' });
  const wakes = (entry: LedgerEntry, resourceVersion: string) =>
    wokenBy(() =>
      entries?.apply({ ...entry, metadata: { ...entry.metadata, resourceVersion } }),
    ).includes('ManagedService/shop/orders');
  if (own.content) caches.ledger.expects(own.metadata.name, own.content);
  expect([wakes(own, '2'), wakes(ledgerEntry(), '3'), wakes(own, '4')]).toEqual([
    false,
    true,
    true,
  ]);
});

test.each(['deleted', 'about another resource'])(
  'a ledger entry that is %s wakes the other object with its resource',
  (how) => {
    const { caches, wokenBy } = watching(false);
    const rival = ledgerEntry({
      object: { kind: 'ManagedService', namespace: 'shop', name: 'rival', uid: 'rival' },
    });
    for (const each of [rival, ledgerEntry()]) caches.ledger.entries.wrote(each);
    const heard = wokenBy(() =>
      how === 'deleted'
        ? caches.ledger.entries.remove(ledgerEntry())
        : caches.ledger.entries.wrote(ledgerEntry({ id: 'svc-2' }, later)),
    );
    expect(heard).toContain('ManagedService/shop/rival');
  },
);

test.each([
  ['its object: no visit, since that object plans the next visit itself', ofOrders, false],
  [
    'a later object of the same name: a visit, since that object waits for the end of the entry',
    ledgerEntry({
      object: { kind: 'ManagedService', namespace: 'shop', name: 'orders', uid: 'before' },
    }),
    true,
  ],
])('a ledger entry that the process itself deleted, and %s', (_, entry, isWoken) => {
  const { caches, entries, wokenBy } = watching(false);
  entries?.apply(entry);
  caches.ledger.expectsEnd(entry);
  expect(
    wokenBy(() => entries?.replace(undefined, [], '9')).includes('ManagedService/shop/orders'),
  ).toBe(isWoken);
});

test('a deleted ledger entry wakes its object and the replica sets', () => {
  const { entries, wokenBy } = watching(false);
  entries?.apply(ledgerEntry());
  expect(wokenBy(() => entries?.replace(undefined, [], '9'))).toEqual([
    'ManagedService/shop/orders',
    'ReplicaSet/shop/reads',
  ]);
});

test('the first list of the ledger wakes no object: each object has a first visit of its own', () => {
  const { entries, wokenBy } = watching(false);
  expect(wokenBy(() => entries?.replace(undefined, [ledgerEntry()], '9'))).toEqual([]);
});

const conflict = (reason: string) => ({
  conditions: [{ ...condition('Synced', 'False', 1), reason }],
});

describe('a connection Secret', () => {
  const owner = ['ManagedService/shop/orders'];
  const bare = connectionSecret({}, { ...later, annotations: {} });
  const ofAnother = connectionSecret(
    {},
    { ...later, annotations: { [connectionAnnotations.owner]: 'ReplicaSet/reads' } },
  );

  test.each([
    ['that was edited wakes its owner', connectionSecret({}, later), owner],
    ['that lost its annotations wakes its earlier owner', bare, owner],
    [
      'that names another owner wakes the earlier owner, too',
      ofAnother,
      ['ReplicaSet/shop/reads', ...owner],
    ],
  ])('%s', (_, edited, expected) => {
    const { secrets, wokenBy } = watching();
    secrets?.apply(connectionSecret());
    expect(wokenBy(() => secrets?.apply(edited))).toEqual(expected);
  });

  test('that was deleted wakes its owner', () => {
    const { secrets, wokenBy } = watching();
    secrets?.apply(connectionSecret());
    expect(wokenBy(() => secrets?.replace(undefined, [], '9'))).toEqual(owner);
  });

  const held = connectionSecret();
  const completed = connectionSecret(
    { name: 'next-db' },
    { name: 'next-db', uid: 'next', resourceVersion: '2' },
  );
  const waiting = (reason: string, name: string): ManagedObject =>
    object('ManagedService', 'waits', {
      spec: { connectionSecret: { name } },
      status: conflict(reason),
    });

  test.each<[string, ManagedObject, readonly string[]]>([
    [
      'an object that waits for another Secret of the owner',
      waiting('SecretConflict', 'orders-db'),
      ['ManagedService/shop/waits'],
    ],
    ['no object that waits for nothing', waiting('Ready', 'orders-db'), []],
    ['no object that waits for a Secret of no owner', waiting('SecretConflict', 'foreign'), []],
    [
      'not the owner itself',
      object('ManagedService', 'orders', {
        spec: { connectionSecret: { name: 'next-db' } },
        status: conflict('SecretConflict'),
      }),
      [],
    ],
  ])('that the process itself completed wakes %s', (_, other, expected) => {
    const { caches, wokenBy } = watching();
    caches.connectionSecrets.wrote(held);
    caches.ofAllKinds[kinds.indexOf(other.kind)]?.wrote(other);
    expect(wokenBy(() => caches.connectionSecrets.wrote(completed))).toEqual(expected);
  });

  test('whose owner gets a password in the ledger wakes an object that waits for the Secret', () => {
    const { caches, wokenBy } = watching();
    caches.connectionSecrets.wrote(held);
    caches.ofAllKinds[kinds.indexOf('ManagedService')]?.wrote(
      waiting('SecretConflict', 'orders-db'),
    );
    expect(wokenBy(() => caches.ledger.entries.wrote(ledgerEntry({}, later)))).toContain(
      'ManagedService/shop/waits',
    );
  });

  test('whose owner is resumed wakes an object that waits for the Secret', () => {
    const { caches, wokenBy } = watching();
    caches.connectionSecrets.wrote(held);
    const services = caches.ofAllKinds[kinds.indexOf('ManagedService')];
    services?.wrote(waiting('SecretConflict', 'orders-db'));
    const spec = { connectionSecret: { name: 'next-db' } };
    services?.wrote(object('ManagedService', 'orders', { spec: { ...spec, suspend: true } }, 2));
    expect(
      wokenBy(() => services?.wrote(object('ManagedService', 'orders', { spec }, 3))),
    ).toContain('ManagedService/shop/waits');
  });

  test('that the process itself wrote wakes no object', () => {
    const { caches, wokenBy } = watching();
    expect(wokenBy(() => caches.connectionSecrets.wrote(connectionSecret()))).toEqual([]);
  });
});

const condition = (type: string, status: string, observedGeneration: number) => ({
  type,
  status,
  reason: 'Any',
  message: 'any',
  lastTransitionTime: '2026-01-01T00:00:00Z',
  observedGeneration,
});

describe('an object that the operator finds at its start', () => {
  test.each<[sentence: string, status: object | undefined, priority: string]>([
    ['is an edit if no operator has seen it', undefined, 'edit'],
    [
      'is an edit if its status is about an earlier spec',
      { conditions: [condition('Synced', 'True', 1)] },
      'edit',
    ],
    [
      'is an edit if work on it is under way',
      { conditions: [condition('Synced', 'False', 2), condition('Reconciling', 'True', 2)] },
      'edit',
    ],
    ['is a resync if it is Ready', { conditions: [condition('Synced', 'True', 2)] }, 'resync'],
    [
      'is a resync if it is stalled',
      { conditions: [condition('Synced', 'False', 2), condition('Stalled', 'True', 2)] },
      'resync',
    ],
  ])('%s', (_sentence, status, expected) => {
    const cache = objectCache<ManagedObject>([undefined]);
    const seen: string[] = [];
    wireWakeUps({ ...ledgerCache(), ofAllKinds: [cache] }, (_kind, key, priority) =>
      seen.push(`${key} ${priority}`),
    );
    cache.replace(
      undefined,
      [object('ManagedService', 'orders', status ? { status } : {}, 2)],
      '2',
    );
    expect(seen).toEqual([`shop/orders ${expected}`]);
  });
});

test('a credentials Secret is looked at when it is first held: its object may have lived for a moment only', () => {
  const caches = ledgerCache();
  const enqueued: string[] = [];
  wireCredentials(caches, { enqueue: (key) => void enqueued.push(key) });
  const user = object('ManagedVpc', 'prod', { spec: { credentialsRef: { name: 'cloud' } } });
  const cache = caches.ofAllKinds[kinds.indexOf('ManagedVpc')];
  cache?.wrote(user);
  cache?.remove(user);
  enqueued.length = 0;
  caches.credentialsSecrets.wrote({
    metadata: { name: 'cloud', namespace: 'shop', uid: 'uid', resourceVersion: '1' },
  });
  expect(enqueued).toEqual(['shop/cloud']);
});

const naming = (name: string) => ({ spec: { credentialsRef: { name } } });
const entryOfProd = (content: Partial<EntryContent>, version: string) =>
  entryFor(object('ManagedVpc', 'prod', {}), content, version);

/** The Secrets that the second act enqueues. */
function enqueuedBySecond(
  acts: (caches: ReturnType<typeof ledgerCache>) => readonly [() => void, () => void],
): readonly string[] {
  const caches = ledgerCache();
  const keys: string[] = [];
  wireCredentials(caches, { enqueue: (key) => void keys.push(key) });
  const [first, second] = acts(caches);
  first();
  keys.length = 0;
  second();
  return keys;
}

describe('a credentials Secret is looked at', () => {
  const bound = { id: 'vpc-1', projectId: 'prj-1' };
  const attempt = { id: 'abcdefgh', at: '2026-11-21T09:00:00.000Z', request: {}, sameNameIds: [] };

  test.each<
    readonly [
      sentence: string,
      before: Partial<EntryContent>,
      after: Partial<EntryContent>,
      keys: readonly string[],
    ]
  >([
    [
      'when the ledger names the next Secret',
      { ...bound, credentialsSecret: 'a' },
      { ...bound, credentialsSecret: 'b' },
      ['shop/a'],
    ],
    [
      'when the create with its key was refused',
      { attempt, credentialsSecret: 'a' },
      { credentialsSecret: 'a' },
      ['shop/a'],
    ],
    [
      'not when the ledger still names it',
      { attempt, credentialsSecret: 'a' },
      { ...bound, credentialsSecret: 'a' },
      [],
    ],
  ])('%s', (_, before, after, keys) => {
    const found = enqueuedBySecond(({ ledger: { entries } }) => [
      () => entries.wrote(entryOfProd(before, '1')),
      () => entries.wrote(entryOfProd(after, '2')),
    ]);
    expect(found).toEqual(keys);
  });

  test('when the object with its last proven key is gone', () => {
    const user = object('ManagedVpc', 'prod', naming('b'));
    const keys = enqueuedBySecond((caches) => {
      const cache = caches.ofAllKinds[kinds.indexOf('ManagedVpc')];
      const write = () => {
        caches.ledger.entries.wrote(entryOfProd({ ...bound, credentialsSecret: 'a' }, '1'));
        cache?.wrote(user);
      };
      return [write, () => cache?.remove(user)];
    });
    expect(keys).toEqual(['shop/b', 'shop/a']);
  });
});

const shopItself = (resourceVersion: string, metadata: object = {}) =>
  namespaceMetadata.parse({ metadata: { name: 'shop', uid: 'uid', resourceVersion, ...metadata } });
const ruled = (value: string) => ({ annotations: { 'managed-db.io/change-windows': value } });
const inShop = ['ManagedVpc/shop/prod', 'ManagedService/shop/orders', 'ReplicaSet/shop/reads'];

test.each([
  ['a rule is set', {}, ruled('Sat 02:00-05:00 UTC'), inShop],
  ['a rule changes', ruled('Sat 02:00-05:00 UTC'), ruled('Sun 02:00-05:00 UTC'), inShop],
  ['a rule is removed', ruled('Sat 02:00-05:00 UTC'), {}, inShop],
  ['a rule is removed with all annotations', ruled('x'), { annotations: {} }, inShop],
  ['a label changes', ruled('x'), { ...ruled('x'), labels: { team: 'data' } }, []],
  ['another annotation is set', {}, { annotations: { 'example.com/team': 'data' } }, []],
  ['nothing changes but the version', ruled('x'), ruled('x'), []],
])('when %s in a Namespace, exactly its objects are woken', (_, before, after, expected) => {
  const { caches, namespaces, wokenBy } = watching();
  const elsewhere = object('ManagedService', 'orders', { namespace: 'office' });
  caches.ofAllKinds[kinds.indexOf('ManagedService')]?.wrote(elsewhere);
  namespaces?.replace(undefined, [shopItself('1', before)], '1');
  expect(wokenBy(() => namespaces?.apply(shopItself('2', after)))).toEqual(expected);
});

test('a Namespace that the watch shows after its objects wakes them, and the first list wakes none', () => {
  const { namespaces, wokenBy } = watching();
  expect(wokenBy(() => namespaces?.replace(undefined, [], '1'))).toEqual([]);
  expect(wokenBy(() => namespaces?.apply(shopItself('2')))).toEqual(inShop);
  const fresh = watching();
  expect(fresh.wokenBy(() => fresh.namespaces?.replace(undefined, [shopItself('2')], '2'))).toEqual(
    [],
  );
});

test('a rule that changed during a break of the watch wakes the objects with the list after it', () => {
  const { namespaces, wokenBy } = watching();
  namespaces?.replace(undefined, [shopItself('1')], '1');
  expect(wokenBy(() => namespaces?.replace(undefined, [shopItself('5', ruled('x'))], '6'))).toEqual(
    inShop,
  );
});
