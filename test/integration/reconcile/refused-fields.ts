import type { Kind } from '../../../src/resources/managed-object.ts';
import { serviceDrifts } from '../../support/service-values.ts';

/** The refusals of the API server, field by field; the message of a wrong value names the field. */

const peering = {
  peerAccountId: '444455556666',
  peerRegionCode: 'eu-central-1',
  peerVpcId: 'vpc-0a1b2c3d',
};
const fork = { serviceRef: { name: 'orders' }, strategy: 'NOW' };
const pitr = {
  serviceRef: { name: 'orders' },
  strategy: 'PITR',
  targetTime: '2026-11-21T09:30:00Z',
};
/** A spec that is accepted; the rest changes it. */
export const good: Readonly<Record<Kind, object>> = {
  ManagedVpc: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' },
  ManagedService: {},
  ReplicaSet: { serviceRef: { name: 'orders' }, nodes: 2, cpuMillis: 1000, memoryGbs: 4 },
};

/** A field, a spec with a wrong value in it, and the words of the message beside the field's path. */
export type Wrong = readonly [field: string, spec: object, words?: string];

const wrongEverywhere: readonly Wrong[] = [
  ['credentialsRef.name', { credentialsRef: { name: '' } }],
  ['deletionPolicy', { deletionPolicy: 'Keep' }, 'supported values: "Delete", "Retain"'],
  ['deletionProtection', { deletionProtection: 'yes' }, 'must be of type boolean'],
  ['managementPolicy', { managementPolicy: 'Watch' }, 'supported values: "Manage", "Observe"'],
  ['suspend', { suspend: 'yes' }, 'must be of type boolean'],
  ['name', { name: '' }],
];

const wrongConnection: readonly Wrong[] = [
  ['connectionSecret.name', { connectionSecret: { name: 'Orders' } }],
  ['connectionSecret.username', { connectionSecret: { username: 'u'.repeat(64) } }, 'Too long'],
  ['connectionSecret.database', { connectionSecret: { database: '' } }],
  [
    'connectionSecret.labels',
    { connectionSecret: { labels: { 'argocd.argoproj.io/instance': 'x' } } },
    'a GitOps tool would prune it',
  ],
  [
    'connectionSecret.annotations',
    { connectionSecret: { annotations: { 'managed-db.io/id': 'x' } } },
    'a GitOps tool would prune it',
  ],
  ['environment', { environment: 'STAGING' }, 'supported values: "DEV", "PROD"'],
  ['connectionPooler.enabled', { connectionPooler: {} }, 'Required value'],
  ['changeWindows', { changeWindows: ['0 0 31 2 *'] }],
];

export const wrong: Readonly<Record<Kind, readonly Wrong[]>> = {
  ManagedVpc: [
    ...wrongEverywhere,
    ['cidr', { cidr: '10.0.0.1/16' }, 'without host bits'],
    ['regionCode', { regionCode: '' }],
    [
      'peerings[].peerAccountId',
      { peerings: [{ ...peering, peerAccountId: 444455556666 }] },
      'must be of type string',
    ],
    ['peerings[].peerRegionCode', { peerings: [{ ...peering, peerRegionCode: '' }] }],
    [
      'peerings[].peerVpcId',
      { peerings: [{ ...peering, peerVpcId: undefined }] },
      'Required value',
    ],
  ],
  ManagedService: [
    ...wrongEverywhere,
    ...wrongConnection,
    ['regionCode', { regionCode: '' }],
    ['addons', { addons: ['postgis'] }, 'supported values: "time-series", "ai"'],
    ['cpuMillis', { cpuMillis: '1000', memoryGbs: 4 }, 'a number of millicores without quotes'],
    ['memoryGbs', { cpuMillis: 1000, memoryGbs: 'shared' }, 'shared is for both or neither'],
    ['runningHours', { runningHours: ['office hours'] }],
    ['powerState', { powerState: 'PAUSED' }, 'supported values: "Running", "Stopped"'],
    ...serviceDrifts.flatMap((row): Wrong[] => ('wrong' in row ? [[row.field, row.wrong]] : [])),
    ['vpcRef.name', { vpcRef: {} }, 'Required value'],
    ['vpcId', { vpcRef: { name: 'prod' }, vpcId: '8801' }, 'vpcRef and vpcId exclude each other'],
    ['fork.serviceRef.name', { fork: { ...fork, serviceRef: { name: '' } } }],
    ['fork.serviceId', { fork: { serviceId: '', strategy: 'NOW' } }],
    ['fork.strategy', { fork: { ...fork, strategy: 'now' } }, 'supported values'],
    [
      'fork.targetTime',
      { fork: { ...pitr, targetTime: '2026-11-21T09:30:00' } },
      'date and time with zone',
    ],
    ['password.secretRef.name', { password: { secretRef: { key: 'pw' } } }, 'Required value'],
    ['password.secretRef.key', { password: { secretRef: { name: 'mine', key: '' } } }],
    [
      'password.rotation',
      { password: { rotation: '1', secretRef: { name: 'mine' } } },
      'remove secretRef',
    ],
  ],
  ReplicaSet: [
    ...wrongEverywhere,
    ...wrongConnection,
    ['serviceRef.name', { serviceRef: { name: '' } }],
    ['serviceId', { serviceRef: undefined, serviceId: '' }],
    ['nodes', { nodes: 0 }],
    ['cpuMillis', { cpuMillis: 'shared' }, 'must be of type integer'],
    ['memoryGbs', { memoryGbs: 0 }],
    ['selector', { selector: 'all' }, 'must be of type object'],
    ['template', { template: 'all' }, 'must be of type object'],
  ],
};

/**
 * A field that is fixed at creation, a spec, a changed spec, and the words of the message. Absent in the
 * changed spec: removed.
 */
export type Fixed = readonly [field: string, before: object, after: object, words: string];

export const changed: Readonly<Record<Kind, readonly Fixed[]>> = {
  ManagedVpc: [
    ['cidr', {}, { cidr: '10.1.0.0/16' }, 'cidr is fixed at creation: create another ManagedVpc'],
    [
      'regionCode',
      {},
      { regionCode: 'us-east-1' },
      'regionCode is fixed at creation: create another ManagedVpc',
    ],
  ],
  ManagedService: [
    [
      'name',
      { name: 'a' },
      { name: 'b' },
      'name is fixed at creation: the cloud cannot rename a service',
    ],
    [
      'regionCode',
      { regionCode: 'eu-central-1' },
      { regionCode: 'us-east-1' },
      'create a ManagedService in the other region',
    ],
    [
      'addons',
      { addons: ['ai'] },
      { addons: ['time-series'] },
      'create a ManagedService with the addons and move the data',
    ],
    [
      'fork.serviceRef.name',
      { fork },
      { fork: { ...fork, serviceRef: { name: 'other' } } },
      'fork is read once, at creation',
    ],
    [
      'fork.serviceId',
      { fork },
      { fork: { serviceId: 'k2m9q1zx4w', strategy: 'NOW' } },
      'fork is read once, at creation',
    ],
    [
      'fork.strategy',
      { fork },
      { fork: { ...fork, strategy: 'LAST_SNAPSHOT' } },
      'fork is read once, at creation',
    ],
    [
      'fork.targetTime',
      { fork: pitr },
      { fork: { ...pitr, targetTime: '2026-11-22T09:30:00Z' } },
      'fork is read once, at creation',
    ],
  ],
  ReplicaSet: [
    [
      'name',
      { name: 'a' },
      { name: 'b' },
      'name is fixed at creation: the cloud cannot rename a replica set',
    ],
    [
      'serviceRef.name',
      {},
      { serviceRef: { name: 'other' } },
      'serviceRef is fixed at creation: create another ReplicaSet',
    ],
    [
      'serviceId',
      { serviceRef: undefined, serviceId: 'a' },
      { serviceRef: undefined, serviceId: 'b' },
      'serviceId is fixed at creation: create another ReplicaSet',
    ],
    ['nodes', {}, { nodes: 3 }, 'nodes is fixed at creation: create a second ReplicaSet'],
  ],
};

export const takenOut: Readonly<Record<Kind, readonly Fixed[]>> = {
  ManagedVpc: [
    ['cidr', {}, { cidr: undefined }, 'spec.cidr: Required value'],
    ['regionCode', {}, { regionCode: undefined }, 'spec.regionCode: Required value'],
  ],
  ManagedService: [
    ['name', { name: 'a' }, {}, 'name is fixed at creation: the cloud cannot rename a service'],
    ['regionCode', { regionCode: 'eu-central-1' }, {}, 'and not removed'],
    ['addons', { addons: ['ai'] }, {}, 'addons are fixed at creation'],
    ['fork.serviceRef.name', { fork }, {}, 'fork is read once, at creation'],
    [
      'fork.serviceId',
      { fork: { serviceId: 'a', strategy: 'NOW' } },
      {},
      'fork is read once, at creation',
    ],
    [
      'fork.strategy',
      { fork },
      { fork: { serviceRef: fork.serviceRef } },
      'spec.fork.strategy: Required value',
    ],
    [
      'fork.targetTime',
      { fork: pitr },
      { fork: { ...pitr, targetTime: undefined } },
      'strategy PITR needs targetTime',
    ],
  ],
  ReplicaSet: [
    ['name', { name: 'a' }, {}, 'name is fixed at creation: the cloud cannot rename a replica set'],
    ['serviceRef.name', {}, { serviceRef: undefined }, 'name exactly one parent'],
    [
      'serviceId',
      { serviceRef: undefined, serviceId: 'a' },
      { serviceRef: undefined },
      'name exactly one parent',
    ],
    ['nodes', {}, { nodes: undefined }, 'spec.nodes: Required value'],
    ['cpuMillis', {}, { cpuMillis: undefined }, 'spec.cpuMillis: Required value'],
    ['memoryGbs', {}, { memoryGbs: undefined }, 'spec.memoryGbs: Required value'],
  ],
};
