import { isKubernetesBefore } from '../../support/older-kubernetes.ts';
import type { Kind } from '../../../src/resources/managed-object.ts';
import { everyChange, serviceDrifts } from '../../support/service-values.ts';

/** The requests to both groups: ours, generated, and the reference, written by hand. */

export interface CreateCase {
  readonly sentence: string;
  readonly kind: Kind;
  /** Absent: the manifest has none. */
  readonly spec: unknown;
  /** A part of the message. Absent: it is accepted. */
  readonly refused?: string;
}

export interface UpdateCase {
  readonly sentence: string;
  readonly kind: Kind;
  readonly before: object;
  readonly after: object;
  /** The status that the operator has reported in between. */
  readonly status?: object;
  readonly refused?: string;
}

const vpc = { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' };
const size = { cpuMillis: 1000, memoryGbs: 4 };
const replicas = { serviceRef: { name: 'orders' }, nodes: 2, ...size };
const peering = {
  peerAccountId: '444455556666',
  peerRegionCode: 'eu-central-1',
  peerVpcId: 'vpc-0a1b2c3d',
};
const fork = { serviceRef: { name: 'orders' }, strategy: 'NOW' };
/** Texts that are no point in time to go back to. */
const noTimes = [
  '2026-11-28T09:30:60Z',
  '2026-11-28T24:00:00Z',
  '2026-02-30T09:30:00Z',
  '2026-04-31T09:30:00Z',
  '2026-02-29T09:30:00Z',
  '2026-00-01T09:30:00Z',
  '2026-13-01T09:30:00Z',
  '2026-11-28T09:60:00Z',
  '2026-11-28T09:30:00-24:00',
  '2026-11-28T09:30:00+14:30',
  '2026-11-28T09:30:00',
  '9999-12-31T23:59:59Z',
  '1999-11-21T09:30:00Z',
  'yesterday',
];
const times = [
  '2028-02-29T23:59:59Z',
  '2026-12-31T00:00:00+14:00',
  '2026-10-30T09:30:00-09:30',
  '2099-08-31T09:30:00.123456789Z',
];
/** Windows that the API server accepts. */
const windows = [
  'Sat 02:00-05:00 Europe/Berlin',
  'Mon-Thu 22:00-24:00 UTC',
  'Fri-Mon 23:30-01:00 America/Argentina/Buenos_Aires',
  'Wed 00:00-00:00 Etc/GMT+5',
];
/** Texts that are no window. */
const noWindows = [
  '0 0 31 2 *',
  'Sat 25:00-26:00 UTC',
  'Sat 02:00-05:00 Mars/Olympus',
  'Sat 02:00-05:00 Local',
  'Sat 24:00-02:00 UTC',
  'Sat 02:00-24:30 UTC',
  'Sat 02:00-05:00',
  'Sat 02:00-05:00 +01:00',
  'Sat  02:00-05:00 UTC',
  'sat 02:00-05:00 UTC',
  '',
];
const pitr = { serviceRef: { name: 'orders' }, strategy: 'PITR' };

function texts(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`key-${index}`, 'value']));
}

function creates(
  kind: Kind,
  rows: readonly (readonly [sentence: string, spec: unknown, refused?: string])[],
): readonly CreateCase[] {
  return rows.map(([sentence, spec, refused]) => ({
    sentence,
    kind,
    spec,
    ...(refused === undefined ? {} : { refused }),
  }));
}

export const createCases: readonly CreateCase[] = [
  ...creates('ManagedVpc', [
    ['with range and region', vpc],
    ['with an IPv6 range', { ...vpc, cidr: 'fd00::/48' }],
    ['with an IPv6 range in upper case', { ...vpc, cidr: 'FD00::/48' }],
    [
      'with everything',
      {
        ...vpc,
        name: 'shop-prod',
        credentialsRef: { name: 'key' },
        managementPolicy: 'Observe',
        deletionPolicy: 'Retain',
        deletionProtection: true,
        suspend: true,
        peerings: [peering, { ...peering, peerVpcId: 'vpc-2' }],
      },
    ],
    ['without a spec', undefined, 'spec: Required value'],
    ['without a range', { regionCode: 'eu-central-1' }, 'spec.cidr: Required value'],
    ['without a region', { cidr: '10.0.0.0/16' }, 'spec.regionCode: Required value'],
    [
      'with host bits in its range',
      { ...vpc, cidr: '10.0.0.1/16' },
      'cidr is an address range without host bits',
    ],
    ['with a long form of its range', { ...vpc, cidr: 'fd00:0::/48' }, 'in its shortest form'],
    [
      'with an address for a range',
      { ...vpc, cidr: '10.0.0.1' },
      'cidr is an address range without host bits',
    ],
    ['with an empty range', { ...vpc, cidr: '' }, 'cidr is an address range without host bits'],
    ['with a range too long', { ...vpc, cidr: '1'.repeat(44) }, 'spec.cidr: Too long'],
    ['with an empty region', { ...vpc, regionCode: '' }, 'spec.regionCode'],
    ['with an empty name', { ...vpc, name: '' }, 'spec.name'],
    ['with a name of 128 characters', { ...vpc, name: 'n'.repeat(128) }],
    ['with a name of 129 characters', { ...vpc, name: 'n'.repeat(129) }, 'spec.name: Too long'],
    ['with a number for a name', { ...vpc, name: 7 }, 'spec.name: Invalid value'],
    [
      'with a deletion policy nobody knows',
      { ...vpc, deletionPolicy: 'Keep' },
      'supported values: "Delete", "Retain"',
    ],
    [
      'with a management policy nobody knows',
      { ...vpc, managementPolicy: 'Watch' },
      'supported values: "Manage", "Observe"',
    ],
    ['with a word for suspend', { ...vpc, suspend: 'yes' }, 'spec.suspend'],
    [
      'with credentials without a name',
      { ...vpc, credentialsRef: {} },
      'spec.credentialsRef.name: Required value',
    ],
    [
      'with credentials of an empty name',
      { ...vpc, credentialsRef: { name: '' } },
      'spec.credentialsRef.name',
    ],
    [
      'with credentials of a name that leads elsewhere',
      { ...vpc, credentialsRef: { name: '..' } },
      'spec.credentialsRef.name',
    ],
    ['with a field nobody knows', { ...vpc, cird: '10.0.0.0/16' }, 'unknown field "spec.cird"'],
    [
      'with half a peering',
      { ...vpc, peerings: [{ peerAccountId: '1', peerVpcId: 'vpc-1' }] },
      'peerRegionCode: Required value',
    ],
    ['with one peering twice', { ...vpc, peerings: [peering, peering] }, 'Duplicate value'],
    [
      'with a number for an account',
      { ...vpc, peerings: [{ ...peering, peerAccountId: 444455556666 }] },
      'peerAccountId',
    ],
    [
      'with 65 peerings',
      {
        ...vpc,
        peerings: Array.from({ length: 65 }, (_, index) => ({
          ...peering,
          peerVpcId: `vpc-${index}`,
        })),
      },
      'spec.peerings: Too many',
    ],
  ]),
  ...creates('ManagedService', [
    ['with a size', size],
    ['with an empty spec', {}],
    ['with an id of a single character', { vpcId: '7' }],
    ['with a space around the id of its VPC', { vpcId: ' 41' }, 'spec.vpcId: Invalid value'],
    [
      'with a space around the id of the source of its fork',
      { fork: { serviceId: '3tfz ', strategy: 'NOW' } },
      'spec.fork.serviceId: Invalid value',
    ],
    ...windows.map((text) => [`with the window ${text}`, { changeWindows: [text] }] as const),
    ['with several windows', { changeWindows: windows }],
    ...noWindows.map(
      (text) =>
        [`with the window ${text}`, { changeWindows: [text] }, 'spec.changeWindows[0]'] as const,
    ),
    ['with an empty list of windows', { changeWindows: [] }, 'spec.changeWindows'],
    [
      'with the same window twice',
      { changeWindows: ['Sat 02:00-05:00 UTC', 'Sat 02:00-05:00 UTC'] },
      'Duplicate value',
    ],
    [
      'with eleven windows',
      { changeWindows: Array.from({ length: 11 }, (_, at) => `Sat ${at + 10}:00-23:00 UTC`) },
      'must have at most 10 items',
    ],
    ['with running hours', { runningHours: windows }],
    [
      'with running hours in a zone that does not exist',
      { runningHours: ['Sat 02:00-05:00 Mars/Olympus'] },
      'spec.runningHours[0]',
    ],
    [
      'with eleven running hours',
      { runningHours: Array.from({ length: 11 }, (_, at) => `Sat ${at + 10}:00-23:00 UTC`) },
      'must have at most 10 items',
    ],
    [
      'with running hours and a power state',
      { runningHours: windows, powerState: 'Running' },
      'runningHours and powerState exclude each other',
    ],
    ['with the shared size', { cpuMillis: 'shared', memoryGbs: 'shared' }],
    [
      'with everything',
      {
        ...everyChange,
        credentialsRef: { name: 'key' },
        managementPolicy: 'Manage',
        deletionPolicy: 'Delete',
        deletionProtection: false,
        suspend: false,
        name: 'shop-orders',
        regionCode: 'eu-central-1',
        addons: ['time-series', 'ai'],
        powerState: 'Running',
        vpcRef: { name: 'prod' },
        password: { rotation: '2026-11' },
        connectionSecret: {
          name: 'orders-db',
          username: 'app',
          database: 'orders',
          labels: { team: 'shop' },
          annotations: texts(16),
        },
      },
    ],
    [
      'with a password Secret, whose key has a default',
      { ...size, password: { secretRef: { name: 'mine' } } },
    ],
    [
      'with a password Secret and a key',
      { ...size, password: { secretRef: { name: 'mine', key: 'pw' } } },
    ],
    ['as a fork', { fork }],
    ['as a fork of an id', { fork: { serviceId: 'k2m9q1zx4w', strategy: 'LAST_SNAPSHOT' } }],
    ['as a fork at a point in time', { fork: { ...pitr, targetTime: '2026-11-21T09:30:00Z' } }],
    [
      'as a fork at a point in time with fraction and offset',
      { fork: { ...pitr, targetTime: '2026-11-21T09:30:00.123+01:00' } },
    ],
    ['without a spec, which is all defaults', undefined],
    ['with the largest size', { cpuMillis: 2_147_483_647, memoryGbs: 2_147_483_647 }],
    ['with a CPU beyond all databases', { cpuMillis: 2 ** 31, memoryGbs: 4 }, 'up to 2147483647'],
    [
      'with a CPU that is no exact number',
      { cpuMillis: 2 ** 53, memoryGbs: 4 },
      'up to 2147483647',
    ],
    [
      'with memory beyond all databases',
      { cpuMillis: 1000, memoryGbs: 2 ** 31 },
      'up to 2147483647',
    ],
    ['with a VPC name that no object can have', { vpcRef: { name: '..' } }, 'spec.vpcRef.name'],
    [
      'as a fork of a name that no object can have',
      { fork: { ...fork, serviceRef: { name: 'a/b' } } },
      'spec.fork.serviceRef.name',
    ],
    [
      'with a password Secret that cannot be',
      { password: { secretRef: { name: '%' } } },
      'spec.password.secretRef.name',
    ],
    [
      'with a password key that cannot be',
      { password: { secretRef: { name: 'pw', key: '..' } } },
      'spec.password.secretRef.key',
    ],
    [
      'with a password key of one dot',
      { password: { secretRef: { name: 'pw', key: '.' } } },
      'spec.password.secretRef.key',
    ],
    [
      'with a password key with a slash',
      { password: { secretRef: { name: 'pw', key: 'a/b' } } },
      'spec.password.secretRef.key',
    ],
    [
      'with a password key that begins with a dot',
      { password: { secretRef: { name: 'pw', key: '.dockercfg' } } },
    ],
    [
      'with a Secret name with an empty part',
      { connectionSecret: { name: 'a..b' } },
      'spec.connectionSecret.name',
    ],
    ['with a VPC name that has dots', { vpcRef: { name: 'prod.eu-1.shop' } }],
    ['with no CPU', { cpuMillis: 0, memoryGbs: 4 }, 'cpuMillis is a number of millicores'],
    [
      'with a quoted CPU',
      { cpuMillis: '1000', memoryGbs: 4 },
      'cpuMillis is a number of millicores',
    ],
    ['with a broken CPU', { cpuMillis: 0.5, memoryGbs: 4 }, 'spec.cpuMillis'],
    [
      'with quoted memory',
      { cpuMillis: 1000, memoryGbs: '4' },
      'memoryGbs is a number of gigabytes',
    ],
    [
      'with memory below nothing',
      { cpuMillis: 1000, memoryGbs: -1 },
      'memoryGbs is a number of gigabytes',
    ],
    [
      'with shared CPU and memory of its own',
      { cpuMillis: 'shared', memoryGbs: 4 },
      'shared is for both or neither',
    ],
    ['with shared CPU alone', { cpuMillis: 'shared' }, 'shared is for both or neither'],
    [
      'with vpcRef and vpcId',
      { vpcRef: { name: 'prod' }, vpcId: '8801' },
      'vpcRef and vpcId exclude each other',
    ],
    ['with vpcId', { vpcId: '8801' }],
    ['with a number for vpcId', { vpcId: 8801 }, 'spec.vpcId'],
    [
      'as a fork in a region',
      { fork, regionCode: 'eu-central-1' },
      "a fork stays in its parent's region",
    ],
    ['as a fork with addons', { fork, addons: ['ai'] }, "a fork has its parent's addons"],
    ['as a fork of nothing', { fork: { strategy: 'NOW' } }, 'name exactly one parent'],
    ['as a fork of two', { fork: { ...fork, serviceId: 'k2m9q1zx4w' } }, 'name exactly one parent'],
    [
      'as a fork of itself',
      { fork: { ...fork, serviceRef: { name: 'x' } } },
      'a service cannot be a fork of itself',
    ],
    [
      'as a fork without a strategy',
      { fork: { serviceRef: { name: 'orders' } } },
      'spec.fork.strategy: Required value',
    ],
    [
      'as a fork with a strategy nobody knows',
      { fork: { ...fork, strategy: 'now' } },
      'supported values',
    ],
    ['as a fork at no point in time', { fork: pitr }, 'strategy PITR needs targetTime'],
    [
      'as a fork of now at a point in time',
      { fork: { ...fork, targetTime: '2026-11-21T09:30:00Z' } },
      'strategy PITR needs targetTime',
    ],
    [
      'as a fork at a time without zone',
      { fork: { ...pitr, targetTime: '2026-11-21T09:30:00' } },
      'date and time with zone',
    ],
    [
      'as a fork on the 32nd',
      { fork: { ...pitr, targetTime: '2026-11-32T09:30:00Z' } },
      'targetTime',
    ],
    ...noTimes.map(
      (targetTime) =>
        [
          `as a fork at ${targetTime}`,
          { fork: { ...pitr, targetTime } },
          // An older API server names the type in place of the value.
          `spec.fork.targetTime: Invalid value: "${isKubernetesBefore(35) ? 'string' : targetTime}": targetTime is a date and time with zone`,
        ] as const,
    ),
    ...times.map(
      (targetTime) => [`as a fork at ${targetTime}`, { fork: { ...pitr, targetTime } }] as const,
    ),
    [
      'with rotation and a password Secret',
      { password: { rotation: '1', secretRef: { name: 'mine' } } },
      'remove secretRef',
    ],
    ['with a number for rotation', { password: { rotation: 1 } }, 'spec.password.rotation'],
    ['with one addon twice', { addons: ['ai', 'ai'] }, 'Duplicate value'],
    [
      'with an addon nobody knows',
      { addons: ['postgis'] },
      'supported values: "time-series", "ai"',
    ],
    ['with high availability of nothing', { highAvailability: {} }, 'spec.highAvailability'],
    ...serviceDrifts.flatMap((row) =>
      'wrong' in row
        ? [[`with a wrong ${row.field}`, row.wrong, `spec.${row.field}`] as const]
        : [],
    ),
    [
      'with more synchronous replicas than replicas',
      { highAvailability: { replicaCount: 1, syncReplicaCount: 2 } },
      'syncReplicaCount is part of replicaCount',
    ],
    [
      'with synchronous replicas only',
      { highAvailability: { replicaCount: 2, syncReplicaCount: 2 } },
    ],
    ['with a number of synchronous replicas alone', { highAvailability: { syncReplicaCount: 2 } }],
    [
      'with an environment nobody knows',
      { environment: 'STAGING' },
      'supported values: "DEV", "PROD"',
    ],
    [
      'with a power state of the cloud',
      { powerState: 'PAUSED' },
      'supported values: "Running", "Stopped"',
    ],
    [
      'with a pooler that is neither on nor off',
      { connectionPooler: {} },
      'spec.connectionPooler.enabled: Required value',
    ],
    [
      'with a Secret name in capitals',
      { connectionSecret: { name: 'Orders' } },
      'spec.connectionSecret.name',
    ],
    [
      'with a user of 64 characters',
      { connectionSecret: { username: 'u'.repeat(64) } },
      'spec.connectionSecret.username: Too long',
    ],
    [
      'with 17 labels for the Secret',
      { connectionSecret: { labels: texts(17) } },
      'spec.connectionSecret.labels: Too many',
    ],
    [
      'with a label that is ours',
      { connectionSecret: { labels: { 'managed-db.io/connection': 'true' } } },
      'a GitOps tool would prune it',
    ],
    [
      'with an annotation of Argo CD',
      { connectionSecret: { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } } },
      'a GitOps tool would prune it',
    ],
    [
      'with a label of 64 characters',
      { connectionSecret: { labels: { team: 't'.repeat(64) } } },
      'Too long',
    ],
    [
      'with an annotation of 257 characters',
      { connectionSecret: { annotations: { note: 't'.repeat(257) } } },
      'Too long',
    ],
    [
      'with a label that is none',
      { connectionSecret: { labels: { team: 'not valid!' } } },
      'must be a valid label value',
    ],
    [
      'with a label whose name is none',
      { connectionSecret: { labels: { 'not valid!': 'x' } } },
      'letters, digits, - _ .',
    ],
    [
      'with an annotation whose name is none',
      { connectionSecret: { annotations: { '-note': 'x' } } },
      'letters, digits, - _ .',
    ],
    [
      'with a field nobody knows, deep down',
      { fork: { ...fork, targettime: 'x' } },
      'unknown field "spec.fork.targettime"',
    ],
    [
      'with a replica count where it does not belong',
      { ...size, replicaCount: 1 },
      'unknown field "spec.replicaCount"',
    ],
    [
      'with spec.selector, which kustomize writes into ReplicaSets only',
      { selector: {} },
      'unknown field "spec.selector"',
    ],
  ]),
  ...creates('ReplicaSet', [
    ['with windows', { ...replicas, changeWindows: windows }],
    [
      'with a window that no calendar has',
      { ...replicas, changeWindows: ['0 0 31 2 *'] },
      'spec.changeWindows[0]',
    ],
    ['of a service', replicas],
    ['of an id', { serviceId: 'k2m9q1zx4w', nodes: 1, ...size }],
    [
      'with what kustomize writes into every ReplicaSet',
      {
        ...replicas,
        selector: { matchLabels: { app: 'shop' } },
        template: { metadata: { labels: { app: 'shop' } } },
      },
    ],
    [
      'with everything',
      {
        ...replicas,
        name: 'shop-reads',
        credentialsRef: { name: 'key' },
        managementPolicy: 'Manage',
        deletionPolicy: 'Retain',
        deletionProtection: false,
        suspend: false,
        environment: 'DEV',
        connectionPooler: { enabled: false },
        connectionSecret: { name: 'reads-db', labels: { team: 'shop' } },
      },
    ],
    ['of nothing', { nodes: 2, ...size }, 'name exactly one parent'],
    ['of two', { ...replicas, serviceId: 'k2m9q1zx4w' }, 'name exactly one parent'],
    ['without nodes', { serviceRef: { name: 'orders' }, ...size }, 'spec.nodes: Required value'],
    [
      'without CPU',
      { serviceRef: { name: 'orders' }, nodes: 2, memoryGbs: 4 },
      'spec.cpuMillis: Required value',
    ],
    [
      'without memory',
      { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000 },
      'spec.memoryGbs: Required value',
    ],
    ['without a spec', undefined, 'spec: Required value'],
    ['with no node', { ...replicas, nodes: 0 }, 'spec.nodes'],
    ['with 101 nodes', { ...replicas, nodes: 101 }, 'spec.nodes'],
    ['with half a node', { ...replicas, nodes: 1.5 }, 'spec.nodes'],
    ['with quoted nodes', { ...replicas, nodes: '2' }, 'spec.nodes'],
    ['with shared CPU', { ...replicas, cpuMillis: 'shared' }, 'spec.cpuMillis'],
    ['with CPU beyond 32 bits', { ...replicas, cpuMillis: 2 ** 31 }, 'spec.cpuMillis'],
    [
      'of a name that no object can have',
      { ...replicas, serviceRef: { name: '.' } },
      'spec.serviceRef.name',
    ],
    ['with memory beyond 32 bits', { ...replicas, memoryGbs: 2 ** 31 }, 'spec.memoryGbs'],
    ['with no memory', { ...replicas, memoryGbs: 0 }, 'spec.memoryGbs'],
    [
      'in a region of its own',
      { ...replicas, regionCode: 'eu-central-1' },
      'unknown field "spec.regionCode"',
    ],
    [
      'with a replica count, as apps/v1 has it',
      { ...replicas, replicas: 2 },
      'unknown field "spec.replicas"',
    ],
  ]),
];

const seen = { id: 'k2m9q1zx4w', service: { regionCode: 'eu-central-1' } };

function updates(
  kind: Kind,
  rows: readonly (readonly [
    sentence: string,
    before: object,
    after: object,
    refused?: string | undefined,
    status?: object,
  ])[],
): readonly UpdateCase[] {
  return rows.map(([sentence, before, after, refused, status]) => ({
    sentence,
    kind,
    before,
    after,
    ...(refused === undefined ? {} : { refused }),
    ...(status === undefined ? {} : { status }),
  }));
}

export const updateCases: readonly UpdateCase[] = [
  ...updates('ManagedVpc', [
    ['another name', { ...vpc, name: 'a' }, { ...vpc, name: 'b' }],
    ['its name removed', { ...vpc, name: 'a' }, vpc],
    ['a peering more', vpc, { ...vpc, peerings: [peering] }],
    ['its peerings removed', { ...vpc, peerings: [peering] }, vpc],
    ['another range', vpc, { ...vpc, cidr: '10.1.0.0/16' }, 'cidr is fixed at creation'],
    ['another region', vpc, { ...vpc, regionCode: 'us-east-1' }, 'regionCode is fixed at creation'],
  ]),
  ...updates('ManagedService', [
    ['another size', size, { cpuMillis: 2000, memoryGbs: 8 }],
    ['its size removed', size, {}],
    [
      'the environment, power, replicas, pooler and VPC',
      size,
      { environment: 'PROD', powerState: 'Stopped', vpcRef: { name: 'prod' } },
    ],
    [
      'running hours in place of a power state',
      { powerState: 'Running' },
      { runningHours: windows },
    ],
    [
      'a power state in place of running hours',
      { runningHours: windows },
      { powerState: 'Stopped' },
    ],
    [
      'its running hours removed',
      { runningHours: windows },
      {},
      'set powerState to Running or Stopped',
    ],
    ['another name', { name: 'a' }, { name: 'b' }, 'the cloud cannot rename a service'],
    ['a name added', {}, { name: 'b' }, 'the cloud cannot rename a service'],
    ['its name removed', { name: 'a' }, {}, 'the cloud cannot rename a service'],
    [
      'other addons',
      { addons: ['ai'] },
      { addons: ['ai', 'time-series'] },
      'addons are fixed at creation',
    ],
    [
      'its addons in another order',
      { addons: ['ai', 'time-series'] },
      { addons: ['time-series', 'ai'] },
    ],
    ['its addons removed', { addons: ['ai'] }, {}, 'addons are fixed at creation'],
    [
      'another region',
      { regionCode: 'eu-central-1' },
      { regionCode: 'us-east-1' },
      'create a ManagedService in the other region',
    ],
    [
      'a region added that nobody has reported',
      {},
      { regionCode: 'eu-central-1' },
      'it can be written down later only with the value',
    ],
    ['the reported region written down', {}, { regionCode: 'eu-central-1' }, undefined, seen],
    [
      'another region than the reported one written down',
      {},
      { regionCode: 'us-east-1' },
      'only with the value',
      seen,
    ],
    ['its region removed', { regionCode: 'eu-central-1' }, {}, 'and not removed', seen],
    [
      'another fork strategy',
      { fork },
      { fork: { ...fork, strategy: 'LAST_SNAPSHOT' } },
      'fork is read once',
    ],
    ['its fork removed', { fork }, {}, 'fork is read once'],
    ['a fork added', {}, { fork }, 'fork is read once'],
    ['vpcRef for vpcId', { vpcId: '8801' }, { vpcRef: { name: 'prod' } }],
    [
      'shared instead of numbers, before it exists',
      size,
      { cpuMillis: 'shared', memoryGbs: 'shared' },
    ],
    [
      'shared instead of numbers, once it exists',
      size,
      { cpuMillis: 'shared', memoryGbs: 'shared' },
      'cannot go back to shared',
      seen,
    ],
    [
      'numbers instead of shared',
      { cpuMillis: 'shared', memoryGbs: 'shared' },
      size,
      undefined,
      seen,
    ],
    [
      'something else while it is shared',
      { cpuMillis: 'shared', memoryGbs: 'shared' },
      { cpuMillis: 'shared', memoryGbs: 'shared', environment: 'DEV' },
      undefined,
      seen,
    ],
  ]),
  ...updates('ReplicaSet', [
    ['another size', replicas, { ...replicas, cpuMillis: 2000, memoryGbs: 8 }],
    [
      'what kustomize writes',
      replicas,
      { ...replicas, selector: { matchLabels: { app: 'shop' } } },
    ],
    ['more nodes', replicas, { ...replicas, nodes: 3 }, 'nodes is fixed at creation'],
    [
      'another parent',
      replicas,
      { ...replicas, serviceRef: { name: 'other' } },
      'serviceRef is fixed at creation',
    ],
    [
      'another parent id',
      { serviceId: 'a', nodes: 1, ...size },
      { serviceId: 'b', nodes: 1, ...size },
      'serviceId is fixed at creation',
    ],
    ['an id instead of a reference', replicas, { serviceId: 'a', nodes: 2, ...size }],
    [
      'another name',
      { ...replicas, name: 'a' },
      { ...replicas, name: 'b' },
      'the cloud cannot rename a replica set',
    ],
    ['a name added', replicas, { ...replicas, name: 'b' }, 'the cloud cannot rename a replica set'],
  ]),
];
