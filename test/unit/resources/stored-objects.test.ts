import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  managedServices,
  managedServiceSpec,
  managedServiceStatus,
} from '../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import { replicaSets } from '../../../src/resources/replica-set.ts';
import { secretMetadata } from '../../../src/resources/secret-metadata.ts';
import { drainLabel, shardLabel } from '../../../src/resources/shard-labels.ts';
import { connectionSecrets } from '../../../src/resources/watched-secret.ts';
import { readFields } from '../../../src/resources/stored-object.ts';

const metadata = {
  name: 'orders',
  namespace: 'shop',
  uid: 'uid-1',
  resourceVersion: '7',
  generation: 2,
  creationTimestamp: '2026-11-21T09:30:00Z',
};
const readStatus = (value: unknown) => readFields(managedServiceStatus, value).fields;
const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'Available',
  message: 'ready',
  lastTransitionTime: '2026-11-21T09:30:00Z',
};

describe('a stored status is read leniently:', () => {
  test('a field of a wrong type counts as absent, and the other fields stay', () => {
    const status = {
      id: 7,
      state: 'READY',
      observedGeneration: 'two',
      conditions: [ready],
      service: { status: 3 },
    };
    expect(readStatus(status)).toEqual({ state: 'READY', conditions: [ready] });
  });

  test('unknown values of the cloud are read unchanged', () => {
    const service = {
      status: 'QUANTUM',
      serviceType: 'GRAPH',
      metadata: { environment: 'STAGING' },
    };
    expect(readStatus({ state: 'QUANTUM', service })).toEqual({ state: 'QUANTUM', service });
  });

  test('a reason that only a newer operator knows does not cost the conditions', () => {
    const tomorrow = { ...ready, reason: 'ReasonOfTomorrow' };
    expect(readStatus({ conditions: [tomorrow] })).toEqual({ conditions: [tomorrow] });
  });

  test('a refusal with a word that only a newer operator knows counts as none', () => {
    const refusal = {
      failures: 1,
      at: '2026-11-21T09:30:00Z',
      message: 'no',
      stalled: 'ReasonOfTomorrow',
    };
    expect(readStatus({ refusal })).toEqual({});
  });

  test.each([undefined, null, 'text', 7, [], [{}], true])(
    '%j for a status is an empty one',
    (status) => {
      expect(readStatus(status)).toEqual({});
    },
  );

  test('any status content is read as a value of its schema', () => {
    const fields = Object.keys(managedServiceStatus.shape);
    const key = fc.oneof(fc.constantFrom(...fields), fc.string());
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (status) => {
        const read = readStatus(status);
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
    [
      managedServices,
      { cpuMillis: 'shared', memoryGbs: 'shared', highAvailability: { replicaCount: 1 } },
    ],
    [replicaSets, { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4 }],
  ] as const)('of $0.kind is read with its spec, however its status looks', (type, spec) => {
    const read = type.parse({
      apiVersion: 'managed-db.io/v1alpha1',
      kind: type.kind,
      metadata,
      spec,
      status: 'broken',
    });
    expect(read).toEqual({
      apiVersion: 'managed-db.io/v1alpha1',
      kind: type.kind,
      metadata,
      spec,
      problems: [],
      status: {},
    });
  });

  test('without a spec is all defaults', () => {
    expect(managedServices.parse({ metadata })).toMatchObject({ spec: {}, problems: [] });
  });

  test('keeps only the metadata that the operator needs, without foreign and empty annotations', () => {
    const managedFields = [{ manager: 'kubectl' }];
    const annotations = { 'managed-db.io/external-id': 'x' };
    const others = {
      'kubectl.kubernetes.io/last-applied-configuration': '{}',
      'managed-db.io/create-anyway': '',
    };
    const given = {
      ...metadata,
      managedFields,
      annotations: { ...annotations, ...others },
      finalizers: ['f'],
    };
    expect(managedServices.parse({ metadata: given, spec: {} }).metadata).toEqual({
      ...metadata,
      annotations,
      finalizers: ['f'],
    });
  });

  test.each([
    ['managed-db.io/external-id', ' 3tfz ', '3tfz'],
    ['managed-db.io/external-id', ' ', ''],
    ['managed-db.io/allow-recreate', '3tfz\n', '3tfz'],
    ['managed-db.io/create-anyway', ' 3tfz, 4abc ', '3tfz,4abc'],
    ['managed-db.io/create-anyway', '  ', undefined],
    ['managed-db.io/awake-until', ' 2026-11-28T10:00:00Z', '2026-11-28T10:00:00Z'],
    ['approval.managed-db.io/resizeService', ' 1000m/4GB -> 2000m/8GB ', '1000m/4GB -> 2000m/8GB'],
    ['reconcile.managed-db.io/requestedAt', ' now ', ' now '],
  ])('reads %s=%j without spaces that a person types by mistake', (name, text, read) => {
    const object = managedServices.parse({
      metadata: { ...metadata, annotations: { [name]: text } },
    });
    expect(object.metadata.annotations?.[name]).toBe(read);
  });

  test('keeps nothing of what others write into it, of whatever size', () => {
    const large = 'x'.repeat(200_000);
    const ours = { 'managed-db.io/external-id': 'x', 'reconcile.managed-db.io/requestedAt': 'now' };
    const theirs = {
      'kubectl.kubernetes.io/last-applied-configuration': large,
      'notmanaged-db.io/x': large,
      'managed-db.iox/y': large,
      'managed-db.io/some-other': large,
      'other.managed-db.io/x': large,
      z: large,
    };
    const spec = { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4 };
    const read = replicaSets.parse({
      metadata: {
        ...metadata,
        annotations: { ...theirs, ...ours },
        labels: theirs,
        managedFields: [{ fieldsV1: { large } }],
      },
      spec: { ...spec, selector: { large }, template: { large } },
    });
    expect(read.metadata).toEqual({ ...metadata, annotations: ours, labels: {} });
    expect(read.spec).toEqual(spec);
    expect(JSON.stringify(read).length).toBeLessThan(1_000);
  });

  test('keeps of its labels only those that name its shard', () => {
    const sharding = { [shardLabel('databases')]: 'a', [drainLabel('databases')]: 'true' };
    const read = managedServices.parse({
      metadata: { ...metadata, labels: { ...sharding, team: 'shop' } },
    });
    expect(read.metadata.labels).toEqual(sharding);
  });

  const long = 'x'.repeat(300);
  const many = Array.from({ length: 4_000 }, (_, index) => `example.com/${index}`);
  /** Each field of ObjectMeta in its largest form, and its fate. */
  const fields: Readonly<
    Record<string, readonly [value: unknown, fate: 'kept' | 'dropped' | 'bounded']>
  > = {
    name: ['orders', 'kept'],
    generateName: [long, 'dropped'],
    namespace: ['shop', 'kept'],
    selfLink: [long, 'dropped'],
    uid: ['uid-1', 'kept'],
    resourceVersion: ['7', 'kept'],
    generation: [2, 'kept'],
    creationTimestamp: ['2026-11-21T09:30:00Z', 'kept'],
    deletionTimestamp: ['2026-11-21T09:31:00Z', 'kept'],
    deletionGracePeriodSeconds: [30, 'dropped'],
    labels: [Object.fromEntries(many.map((name) => [name, 'x'])), 'bounded'],
    annotations: [
      { 'managed-db.io/external-id': long.repeat(800), z: long.repeat(100) },
      'bounded',
    ],
    ownerReferences: [
      many.map((name) => ({ apiVersion: 'v1', kind: 'Any', name, uid: name })),
      'dropped',
    ],
    finalizers: [[...many, 'managed-db.io/cloud-resource', 'managed-db.io/credentials'], 'kept'],
    managedFields: [many.map((manager) => ({ manager })), 'dropped'],
  };
  const all = {
    apiVersion: 'v1',
    metadata: Object.fromEntries(Object.entries(fields).map(([name, [value]]) => [name, value])),
  };
  const keptOf = {
    'a managed object': { ...managedServices.parse(all).metadata },
    "a user's Secret": { ...secretMetadata.parse(all).metadata },
    'a connection Secret': { ...connectionSecrets.parse(all).metadata },
  };

  test.each(Object.entries(keptOf))(
    'of %s is kept what is read, and no more than that',
    (_, kept) => {
      for (const [name, value] of Object.entries(kept)) {
        const [given, fate] = fields[name] ?? [undefined, 'dropped'];
        expect([name, fate]).not.toEqual([name, 'dropped']);
        expect(fate === 'kept' ? value : JSON.stringify(value).length < 1_000).toEqual(
          fate === 'kept' ? given : true,
        );
      }
    },
  );

  test.each([
    'managed-db.io/ledger',
    'managed-db.io/external-id',
    'managed-db.io/create-anyway',
    'reconcile.managed-db.io/requestedAt',
  ])('keeps a digest of a text under %s that is too long to say anything', (name) => {
    const readOf = (text: string) =>
      managedServices.parse({ metadata: { ...metadata, annotations: { [name]: text } } }).metadata
        .annotations?.[name];
    const longest = 'x'.repeat(4_096);
    expect(readOf(longest)).toBe(longest);
    const beyond = ['a', 'b', 'a'].map((last) => readOf(`${'x'.repeat(100_000)}${last}`));
    expect(beyond[0]).toMatch(/^sha256-[0-9a-f]{64}$/u);
    expect(beyond.map((text) => text === beyond[0])).toEqual([true, false, true]);
  });

  test('has the default of the schema where the API server has not written it', () => {
    const { spec } = managedServices.parse({
      metadata,
      spec: { password: { secretRef: { name: 'mine' } } },
    });
    expect(spec.password?.secretRef?.key).toBe('password');
  });
});

describe('a spec that was stored and cannot be read', () => {
  const size = { cpuMillis: 1000, memoryGbs: 4 };
  const large = 9_007_199_254_740_992;
  const reference = 'a name as Kubernetes takes it';
  const rows = [
    [managedVpcs, { cidr: '10.0.0.0/16' }, 'spec.regionCode', 'missing', 'expected string'],
    [
      managedServices,
      { ...size, cpuMillis: large },
      'spec.cpuMillis',
      '9007199254740992',
      'up to 2147483647',
    ],
    [
      managedServices,
      { ...size, memoryGbs: 2 ** 31 },
      'spec.memoryGbs',
      '2147483648',
      'up to 2147483647',
    ],
    [managedServices, { ...size, cpuMillis: 0 }, 'spec.cpuMillis', '0', 'cpuMillis is a number'],
    [
      managedServices,
      { ...size, cpuMillis: 'many' },
      'spec.cpuMillis',
      '"many"',
      'or the word shared',
    ],
    [
      managedServices,
      { fork: { strategy: 'LATER' } },
      'spec.fork.strategy',
      '"LATER"',
      'LAST_SNAPSHOT',
    ],
    [
      managedServices,
      { fork: { strategy: 'NOW', serviceRef: { name: '..' } } },
      'spec.fork.serviceRef.name',
      '".."',
      reference,
    ],
    [managedServices, { vpcRef: { name: 'a/b' } }, 'spec.vpcRef.name', '"a/b"', reference],
    [
      managedServices,
      { credentialsRef: { name: '.' } },
      'spec.credentialsRef.name',
      '"."',
      reference,
    ],
    [
      managedServices,
      { password: { secretRef: { name: '%2e' } } },
      'spec.password.secretRef.name',
      '"%2e"',
      reference,
    ],
    [
      managedServices,
      { password: { secretRef: { name: 'pw', key: '..' } } },
      'spec.password.secretRef.key',
      '".."',
      'a key',
    ],
    [
      managedServices,
      { password: { rotation: 7 } },
      'spec.password.rotation',
      'not shown',
      'expected string',
    ],
    [
      managedServices,
      { connectionSecret: { name: 'a..b' } },
      'spec.connectionSecret.name',
      '"a..b"',
      reference,
    ],
    [
      managedServices,
      { deletionPolicy: 'Kee\u202ep\n' },
      'spec.deletionPolicy',
      '"Kee?p\\n"',
      'Delete',
    ],
    [managedServices, { name: 'n'.repeat(300) }, 'spec.name', `"${'n'.repeat(59)}…`, '128'],
    [replicaSets, { ...size, nodes: 1.5 }, 'spec.nodes', '1.5', 'a whole number from 1 to 100'],
    [
      replicaSets,
      { ...size, nodes: 1, cpuMillis: large },
      'spec.cpuMillis',
      '9007199254740992',
      'from 1 to 2147483647',
    ],
    [
      replicaSets,
      { ...size, nodes: 1, serviceRef: { name: 'a b' } },
      'spec.serviceRef.name',
      '"a b"',
      reference,
    ],
  ] as const;
  const cases = rows.map(([type, spec, path, value, words]) => ({
    type,
    spec: { ...spec, suspend: true },
    path,
    value,
    words,
  }));
  test.each(cases)(
    'is read without the field, and says that of a $type.kind $path is $value',
    ({ type, spec, path, value, words }) => {
      const read = type.parse({ metadata, spec });
      expect(read.problems).toEqual([
        { path, value, expectation: expect.stringContaining(words) as unknown },
      ]);
      const others = Object.entries(spec).filter(([name]) => name !== path.split('.')[1]);
      expect(read.spec).toEqual(Object.fromEntries(others));
    },
  );

  test.each([null, 'text', 7, [], true])('%j for a spec is one without fields', (spec) => {
    expect(managedServices.parse({ metadata, spec })).toMatchObject({ metadata, spec: {} });
  });

  test('an object with any spec content is read as a value of its schema', () => {
    const key = fc.oneof(fc.constantFrom(...Object.keys(managedServiceSpec.shape)), fc.string());
    fc.assert(
      fc.property(fc.dictionary(key, fc.jsonValue()), (spec) => {
        const read = managedServices.parse({ metadata, spec });
        expect(managedServiceSpec.parse(read.spec)).toEqual(read.spec);
      }),
    );
  });
});
