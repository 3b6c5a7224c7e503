import { type Random, seeded } from '../../attack/lives/random.ts';
import type { JsonObject } from '../api-server/json.ts';
import {
  applied,
  applyPatch,
  type CallStep,
  type Plural,
  type Seen,
  type Step,
  type User,
} from './step.ts';

type Choices = readonly [JsonObject, ...JsonObject[]];

const finalizer = 'managed-db.io/cloud-resource';
const vpc = { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' };
const sized = { cpuMillis: 1000, memoryGbs: 4 };
const reads = { serviceRef: { name: 'a' }, nodes: 1, cpuMillis: 1000, memoryGbs: 4 };
const peering = { peerAccountId: '1', peerRegionCode: 'eu', peerVpcId: 'v' };

const specs: Readonly<Record<'managedvpcs' | 'managedservices' | 'readreplicasets', Choices>> = {
  managedvpcs: [
    vpc,
    vpc,
    { ...vpc, deletionPolicy: 'Retain' },
    { ...vpc, deletionProtection: true },
    { ...vpc, nonsense: 1, name: null },
    { ...vpc, peerings: [peering] },
    { ...vpc, peerings: [peering, peering] },
    { ...vpc, peerings: [{ ...peering, peerVpcId: 'w', other: 1 }, peering] },
    { ...vpc, credentialsRef: { name: 'Not-A-Name' } },
    { ...vpc, cidr: '10.0.0.1/16' },
    { ...vpc, cidr: '10.1.0.0/16' },
    { ...vpc, cidr: 'fd00::/64' },
    { ...vpc, cidr: 7 },
    { cidr: '10.0.0.0/16' },
  ],
  managedservices: [
    sized,
    sized,
    { ...sized, environment: 'PROD' },
    { ...sized, environment: 'NEVER' },
    { ...sized, deletionProtection: true, deletionPolicy: 'Retain' },
    { cpuMillis: 2000, memoryGbs: 8, connectionPooler: { enabled: true } },
    { cpuMillis: 'shared', memoryGbs: 'shared' },
    { cpuMillis: 'shared', memoryGbs: 4 },
    { cpuMillis: '1000', memoryGbs: 4 },
    { ...sized, regionCode: 'eu-central-1' },
    { ...sized, name: 'fixed' },
    { ...sized, addons: ['ai', 'time-series'] },
    { ...sized, addons: ['time-series', 'ai'] },
    { ...sized, addons: ['ai', 'ai'] },
    { ...sized, highAvailability: {} },
    { ...sized, highAvailability: { replicaCount: 1, syncReplicaCount: 2 } },
    { ...sized, highAvailability: { replicaCount: 2, syncReplicaCount: 1 } },
    { ...sized, password: { secretRef: { name: 'x' } } },
    { ...sized, password: { secretRef: { name: 'x' }, rotation: '1' } },
    { ...sized, vpcRef: { name: 'a' }, vpcId: 'v1' },
    { ...sized, vpcId: 'v1' },
    { ...sized, vpcId: 'v1', credentialsRef: { name: 'own' } },
    { fork: { serviceRef: { name: 'a' }, strategy: 'NOW' } },
    { fork: { serviceId: 's1', strategy: 'PITR', targetTime: '2026-11-21T09:30:00Z' } },
    { fork: { serviceRef: { name: 'b' }, strategy: 'PITR' } },
    { ...sized, connectionSecret: { labels: { a: 'b' }, annotations: { 'x/y': 'any text' } } },
    { ...sized, connectionSecret: { labels: { 'managed-db.io/x': 'b' } } },
    { ...sized, suspend: 'yes' },
    {},
  ],
  readreplicasets: [
    reads,
    reads,
    { ...reads, nodes: 2 },
    { ...reads, nodes: 1.5 },
    { ...reads, serviceRef: { name: 'b' } },
    { ...reads, serviceId: 's1' },
    { serviceId: 's1', nodes: 1, cpuMillis: 1000, memoryGbs: 4 },
    { ...reads, environment: 'PROD' },
    { ...reads, cpuMillis: 0 },
    { ...reads, memoryGbs: 3_000_000_000 },
    { nodes: 1 },
  ],
};

const condition = {
  type: 'Ready',
  status: 'True',
  reason: 'Available',
  message: 'serves',
  lastTransitionTime: '2026-11-21T09:30:00Z',
};
const statuses: Choices = [
  { id: 'i1' },
  { id: 'i2', onDelete: 'Retain', observedGeneration: 1 },
  { id: 'i1', onDelete: 'Protected' },
  { id: null },
  { conditions: [condition] },
  { conditions: [{ ...condition, status: 'False', reason: 'NotBound' }] },
  { conditions: [{ ...condition, status: 'Maybe' }] },
  { conditions: [condition, condition] },
  { conditions: [{ type: 'Ready' }] },
  { conditions: null },
  { service: { metadata: { environment: 'PROD' }, regionCode: 'eu-central-1', unknown: 1 } },
  { state: 7 },
  { unknown: { deep: [1, null] } },
  {},
];

const secrets: Choices = [
  { data: { p: 'eA==' } },
  { stringData: { p: 'y' } },
  { data: { p: 'eA==' }, immutable: true },
  { data: {}, unknown: 1 },
  { data: { p: 'no base64!' } },
  { data: { 'no key!': 'eA==' } },
  { type: 'x/y', stringData: { q: '1' } },
  {},
];
const leases: Choices = [
  { spec: { holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 } },
  {
    spec: {
      holderIdentity: 'b',
      leaseDurationSeconds: 15,
      acquireTime: '2026-11-21T09:00:00.123000Z',
      renewTime: '2026-11-21T09:00:01.000000Z',
    },
  },
  { spec: { holderIdentity: '', leaseDurationSeconds: 1 } },
  { spec: { holderIdentity: 'c', leaseDurationSeconds: 0 } },
  {},
];
const at = '2026-11-21T09:00:00.123Z';
const events: Choices = [
  {
    type: 'Normal',
    reason: 'Created',
    message: 'text',
    source: { component: 'test' },
    reportingComponent: 'test',
    firstTimestamp: at,
    lastTimestamp: at,
    count: 1,
  },
  { type: 'Warning', reason: 'Refused', message: 'text', count: 2 },
  // As the operator counts an event that comes again.
  { count: 3, lastTimestamp: '2026-11-21T09:05:00.456Z' },
];

const metadata: readonly [readonly [number, JsonObject], ...(readonly [number, JsonObject])[]] = [
  [4, {}],
  [2, { labels: { a: '1' } }],
  [2, { labels: { a: '2', b: '1' }, annotations: { x: '1' } }],
  [1, { labels: {}, annotations: {}, finalizers: [] }],
  [3, { finalizers: [finalizer] }],
  [1, { finalizers: ['x/y', finalizer], labels: { b: '1' } }],
  [1, { finalizers: ['x/y'] }],
  [1, { annotations: { 'managed-db.io/ledger': 'e1' } }],
  [1, { annotations: { 'managed-db.io/external-id': 'i1' } }],
  [1, { annotations: { 'reconcile.managed-db.io/requestedAt': 't' }, unknown: 1 }],
];
const metadataPatches: Choices = [
  { labels: { a: '1' } },
  { labels: { a: null } },
  { labels: null },
  { annotations: { x: '2' } },
  { annotations: { 'managed-db.io/ledger': 'e1' } },
  { annotations: { 'managed-db.io/ledger': null } },
  { finalizers: [] },
  { finalizers: null },
  { finalizers: [finalizer] },
  { finalizers: ['x/y'] },
  {},
  {},
];
const jsonPatches: readonly [readonly JsonObject[], ...(readonly JsonObject[])[]] = [
  [{ op: 'add', path: '/metadata/labels', value: { a: '3' } }],
  [
    { op: 'test', path: '/metadata/labels/a', value: '1' },
    { op: 'replace', path: '/metadata/labels/a', value: '4' },
  ],
  [{ op: 'remove', path: '/metadata/finalizers/0' }],
  [{ op: 'add', path: '/metadata/finalizers/-', value: 'x/z' }],
];

/** Manifests whose lists keep their order: an apply merges lists of type set. */
const manifests: Readonly<Record<string, Choices>> = {
  managedvpcs: [
    vpc,
    vpc,
    { ...vpc, deletionPolicy: 'Retain' },
    { ...vpc, deletionProtection: true },
  ],
  managedservices: [
    sized,
    { ...sized, environment: 'PROD' },
    { cpuMillis: 2000, memoryGbs: 8, connectionPooler: { enabled: true } },
    { ...sized, connectionSecret: { labels: { a: 'b' } } },
    { cpuMillis: '1000', memoryGbs: 4 },
  ],
  readreplicasets: [reads, { ...reads, nodes: 2 }, { nodes: 1 }],
};
/** Change no field that a manifest sets. */
const besideManifests: Choices = [
  { finalizers: [finalizer] },
  { finalizers: null },
  { annotations: { x: '2' } },
  { annotations: { x: null } },
];

const whole = 'application/json';
const partial = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const partialList = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

/** The steps of a seed. The same seed always has the same steps. */
export function randomSteps(seed: number, count: number): readonly Step[] {
  const random = seeded(seed);
  // Long histories of few objects find more than short histories of many objects.
  const most = [randomPlural(random), randomPlural(random)] as const;
  return Array.from({ length: count }, () =>
    randomStep(random, random.happens(0.7) ? random.pick(most) : randomPlural(random)),
  );
}

function randomPlural(random: Random): Plural {
  return random.weighted<Plural>([
    [4, 'managedvpcs'],
    [6, 'managedservices'],
    [2, 'readreplicasets'],
    [4, 'secrets'],
    [1, 'events'],
    [2, 'leases'],
  ]);
}

function randomStep(random: Random, plural: Plural): Step {
  const user = random.weighted<User>([
    [5, 'admin'],
    [4, 'operator'],
    [2, 'tenant'],
  ]);
  const asked = { plural, user };
  if (random.happens(0.06)) return randomWatch(random, asked);
  const name = random.weighted([
    [5, 'a'],
    [3, 'b'],
    [1, 'c'],
  ]);
  const accept = random.weighted([
    [4, whole],
    [1, partial],
  ]);
  const call = { type: 'call', ...asked, name, query: {}, accept } as const;
  if (isCustom(plural) && random.happens(0.08)) return randomApply(random, call);
  return random.weighted<() => Step>([
    [
      5,
      () => ({ ...call, method: 'POST', query: writeQuery(random), body: created(random, plural) }),
    ],
    [2, () => ({ ...call, method: 'GET' })],
    [2, () => randomList(random, call)],
    [3, () => randomReplace(random, call)],
    [5, () => randomPatch(random, call)],
    [isCustom(plural) ? 3 : 0, () => randomStatus(random, call)],
    [4, () => randomDelete(random, call)],
  ])();
}

const isCustom = (plural: Plural) => plural in specs;

type Begun = Pick<CallStep, 'type' | 'plural' | 'user' | 'name' | 'query' | 'accept'>;

function randomWatch(random: Random, asked: Pick<Step, 'plural' | 'user'>): Step {
  const selector = random.pick(['', '', 'a=1', 'b', 'a', 'a=1,b', 'a notin (2)', '!c']);
  return {
    type: 'watch',
    ...asked,
    isClusterWide: random.happens(0.3),
    from: random.weighted([
      [4, 'present'],
      [4, 'list'],
      [2, 'first list'],
      // The real server may still have the whole history of a built-in kind.
      [isCustom(asked.plural) ? 1 : 0, 'forgotten'],
    ]),
    accept: random.pick([whole, partial]),
    query: selector === '' ? {} : { labelSelector: selector },
  };
}

function writeQuery(random: Random): Readonly<Record<string, string>> {
  const fieldManager = random.pick(['managed-db-operator', 'kubectl-patch', 'kubectl-edit', 'x']);
  return { fieldManager, ...(random.happens(0.08) ? { dryRun: 'All' } : {}) };
}

function content(random: Random, plural: Plural): JsonObject {
  switch (plural) {
    case 'secrets':
      return random.pick(secrets);
    case 'leases':
      return random.pick(leases);
    case 'events':
      return random.pick(events);
    case 'managedvpcs':
    case 'managedservices':
    case 'readreplicasets': {
      const status = random.happens(0.2) ? { status: { id: 'i9' } } : {};
      return { spec: random.pick(specs[plural]), ...status };
    }
  }
}

function created(random: Random, plural: Plural): JsonObject {
  return { metadata: random.weighted(metadata), ...content(random, plural) };
}

function seen(random: Random, parts: Seen['parts']): { readonly seen: Seen } {
  return { seen: { age: random.happens(0.75) ? 0 : random.between(1, 3), parts } };
}

function randomList(random: Random, call: Begun): Step {
  const selector = random.pick(['', '', 'a=1', 'b', '!a', 'a in (1,2)', 'a!=1', 'a=1,b', 'b=1,!a']);
  return {
    ...call,
    method: 'GET',
    name: undefined,
    accept: random.pick([whole, partialList]),
    query: {
      ...(selector === '' ? {} : { labelSelector: selector }),
      ...(random.happens(0.5) ? { limit: String(random.between(1, 2)) } : {}),
    },
    ...(random.happens(0.5) ? { rest: 'later' } : {}),
  };
}

function randomReplace(random: Random, call: Begun): Step {
  const parts = random.weighted<Seen['parts'] | undefined>([
    [4, 'whole'],
    [2, 'version'],
    [2, 'uid and version'],
    [1, 'uid'],
    [2, undefined],
  ]);
  return {
    ...call,
    method: 'PUT',
    query: writeQuery(random),
    body: created(random, call.plural),
    ...(parts === undefined ? {} : seen(random, parts)),
  };
}

function randomPatch(random: Random, call: Begun): Step {
  const query = writeQuery(random);
  if (random.happens(0.15))
    return {
      ...call,
      method: 'PATCH',
      query,
      contentType: 'application/json-patch+json',
      body: random.pick(jsonPatches),
    };
  return {
    ...call,
    method: 'PATCH',
    query,
    contentType: 'application/merge-patch+json',
    body: {
      metadata: random.pick(metadataPatches),
      ...(random.happens(0.4) ? content(random, call.plural) : {}),
    },
    ...locked(random),
  };
}

function locked(random: Random): { readonly seen?: Seen } {
  const parts = random.pick<Seen['parts'] | undefined>([
    undefined,
    'uid',
    'uid and version',
    'uid and version',
    'version',
  ]);
  return parts === undefined ? {} : seen(random, parts);
}

function randomApply(random: Random, call: Begun): Step {
  const onApplied = { ...call, name: applied };
  return random.weighted<() => Step>([
    [
      4,
      () => ({
        ...onApplied,
        method: 'PATCH',
        query: { ...writeQuery(random), fieldManager: 'applier', force: 'true' },
        contentType: applyPatch,
        body: {
          metadata: random.pick([{}, { labels: { a: '1' } }]),
          spec: random.pick(manifests[call.plural] ?? [{}]),
        },
      }),
    ],
    [
      3,
      () => ({
        ...onApplied,
        method: 'PATCH',
        query: writeQuery(random),
        contentType: 'application/merge-patch+json',
        body: { metadata: random.pick(besideManifests) },
        ...locked(random),
      }),
    ],
    [1, () => randomDelete(random, onApplied)],
  ])();
}

function randomStatus(random: Random, call: Begun): Step {
  return {
    ...call,
    method: 'PATCH',
    subresource: 'status',
    query: writeQuery(random),
    contentType: 'application/merge-patch+json',
    body: {
      status: random.happens(0.05) ? null : random.pick(statuses),
      ...(random.happens(0.2) ? { spec: { deletionPolicy: 'Retain' } } : {}),
      ...(random.happens(0.2) ? { metadata: { labels: { a: '9' } } } : {}),
    },
    ...locked(random),
  };
}

function randomDelete(random: Random, call: Begun): Step {
  return {
    ...call,
    method: 'DELETE',
    body: { kind: 'DeleteOptions', apiVersion: 'v1' },
    ...locked(random),
  };
}
