import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../../src/reconcile/kinds/replica-set/kind.ts';
import {
  replicaSetSituation,
  type GivenReplicaSet,
} from '../../../../support/situation-of-others.ts';
import { noon } from '../../../../support/situation.ts';
import type { ChangeOperation } from '../../../../../src/reconcile/step/step.ts';
import { changing } from '../../../../support/steps.ts';
import { stepLike, type ExpectedStep } from '../../../../support/step-like.ts';

type Row = readonly [sentence: string, given: GivenReplicaSet, expected: ExpectedStep];

const available = {
  type: 'done',
  reason: 'Available',
  message: 'the replica set is available',
} as const;
const pooler = { endpoint: { host: 'pooler.example.com', port: 6432 } };
const changed = (
  operation: ChangeOperation,
  from: string,
  wanted: string,
  ...value: readonly unknown[]
) => changing(operation, ['svc-1', 'rs-1', ...value], from, wanted);
const resizing = {
  type: 'call',
  reason: 'Resizing',
  action: changed('resizeReplicaSet', '1000m/4GB', '2000m/4GB', {
    cpu_millis: '2000',
    memory_gbs: '4',
  }),
  message: 'resizing from 1000m/4GB to 2000m/4GB',
} as const;
const tagging = {
  type: 'call',
  reason: 'SettingEnvironment',
  action: changed('setReplicaSetEnvironment', 'none', 'DEV', { environment: 'DEV' }),
  message: 'setting the environment from none to DEV',
} as const;
const pooling = {
  type: 'call',
  reason: 'ConfiguringPooler',
  action: changed('enableReplicaSetPooler', 'disabled', 'enabled'),
  message: 'enabling the connection pooler',
} as const;
const whereUnknown = { record: { parentServiceId: undefined } } as const;

describe('the operator sets for a replica set', () => {
  test.each<Row>([
    ['a changed CPU', { spec: { cpuMillis: 2000 } }, resizing],
    [
      'a changed memory',
      { spec: { memoryGbs: 8 } },
      {
        ...resizing,
        action: changed('resizeReplicaSet', '1000m/4GB', '1000m/8GB', {
          cpu_millis: '1000',
          memory_gbs: '8',
        }),
        message: 'to 1000m/8GB',
      },
    ],
    [
      'no size while the cloud does not show its CPU',
      { spec: { cpuMillis: 2000 }, seen: { cpu_millis: undefined } },
      available,
    ],
    [
      'no size while the cloud does not show its memory',
      { spec: { cpuMillis: 2000 }, seen: { memory_gbs: undefined } },
      available,
    ],
    [
      'no size while its service is unknown',
      { spec: { cpuMillis: 2000 }, ...whereUnknown },
      available,
    ],
    ['an environment', { spec: { environment: 'DEV' } }, tagging],
    [
      'a changed environment',
      { spec: { environment: 'DEV' }, seen: { metadata: { environment: 'PROD' } } },
      { ...tagging, action: { ...tagging.action, from: 'PROD' }, message: 'from PROD to DEV' },
    ],
    [
      'no environment that the cloud already shows',
      { spec: { environment: 'DEV' }, seen: { metadata: { environment: 'DEV' } } },
      available,
    ],
    [
      'no environment if the spec has none',
      { seen: { metadata: { environment: 'PROD' } } },
      available,
    ],
    [
      'no environment while its service is unknown',
      { spec: { environment: 'DEV' }, ...whereUnknown },
      available,
    ],
    ['a connection pooler', { spec: { connectionPooler: { enabled: true } } }, pooling],
    [
      'a connection pooler if the cloud shows a pooler without an address',
      { spec: { connectionPooler: { enabled: true } }, seen: { connection_pooler: {} } },
      pooling,
    ],
    [
      'the removal of a connection pooler',
      { spec: { connectionPooler: { enabled: false } }, seen: { connection_pooler: pooler } },
      {
        ...pooling,
        action: changed('disableReplicaSetPooler', 'enabled', 'disabled'),
        message: 'disabling the connection pooler',
      },
    ],
    [
      'no connection pooler that the cloud already shows',
      { spec: { connectionPooler: { enabled: true } }, seen: { connection_pooler: pooler } },
      available,
    ],
    [
      'no removal of a connection pooler that the cloud does not show',
      { spec: { connectionPooler: { enabled: false } } },
      available,
    ],
    [
      'no removal of a connection pooler if the spec does not set the field',
      { seen: { connection_pooler: pooler } },
      available,
    ],
    [
      'no connection pooler while its service is unknown',
      { spec: { connectionPooler: { enabled: true } }, ...whereUnknown },
      available,
    ],
    [
      'no second time a size that is not visible yet',
      {
        spec: { cpuMillis: 2000 },
        lastOperation: {
          operation: 'resizeReplicaSet',
          from: '1000m/4GB',
          wanted: '2000m/4GB',
          generation: 1,
          at: noon - 5_000,
        },
      },
      {
        type: 'wait',
        reason: 'Resizing',
        inProgressSince: noon - 5_000,
        afterMs: 25_000,
        message: 'resizing',
      },
    ],
    [
      'no second time a size without effect, which is reported',
      {
        spec: { cpuMillis: 2000 },
        lastOperation: {
          operation: 'resizeReplicaSet',
          from: '1000m/4GB',
          wanted: '2000m/4GB',
          generation: 1,
          at: noon - 30_000,
        },
      },
      {
        type: 'stall',
        reason: 'NotApplied',
        retryAfterMs: 600_000,
        message:
          'the cloud accepted to resize the replica set to 2000 millicores, 4 GB but still shows',
      },
    ],
    [
      'nothing if it only observes, and the message names the differences',
      {
        spec: {
          managementPolicy: 'Observe',
          cpuMillis: 2000,
          environment: 'DEV',
          connectionPooler: { enabled: true },
        },
      },
      {
        type: 'done',
        reason: 'Observed',
        differs: true,
        message:
          'cpuMillis/memoryGbs is 1000m/4GB, not 2000m/4GB, environment is none, not DEV, connectionPooler.enabled is disabled, not enabled',
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

describe('a replica set with the state', () => {
  const wanted = { spec: { cpuMillis: 2000 } };
  const since = { inProgressSince: Date.parse('2026-11-21T09:00:00.000Z') };
  const working = { type: 'wait', reason: 'WaitingForCloud', ...since } as const;
  test.each<Row>([
    ['active may be changed', { ...wanted, seen: { status: 'active' } }, resizing],
    [
      'creating is waited for',
      { ...wanted, seen: { status: 'creating' } },
      { ...working, reason: 'Creating', message: '(creating)' },
    ],
    [
      'resizing is waited for',
      { ...wanted, seen: { status: 'resizing' } },
      { ...working, reason: 'Resizing', message: '(resizing)' },
    ],
    [
      'deleting is waited for',
      { ...wanted, seen: { status: 'deleting' } },
      { ...working, message: 'at work on the replica set (deleting)' },
    ],
    [
      'migrating, which is unknown, is waited for',
      { ...wanted, seen: { status: 'migrating' } },
      { ...working, message: '(migrating)' },
    ],
    [
      'undefined is waited for',
      { ...wanted, seen: { status: undefined } },
      { ...working, message: '(no state)' },
    ],
    [
      'resizing is waited for from the time of the request',
      {
        seen: { status: 'resizing' },
        lastOperation: { operation: 'resizeReplicaSet', wanted: '1000m/4GB', at: noon - 7_000 },
      },
      { ...working, reason: 'Resizing', inProgressSince: noon - 7_000, message: '(resizing)' },
    ],
    [
      'resizing is waited for from the time of the visit if no earlier time is known',
      { seen: { status: 'resizing' }, record: { claimedAt: undefined } },
      { ...working, reason: 'Resizing', inProgressSince: noon, message: '(resizing)' },
    ],
    [
      'error is not changed, and stalls',
      { ...wanted, seen: { status: 'error' } },
      {
        type: 'stall',
        reason: 'CloudError',
        retryAfterMs: 60_000,
        message: 'ask its support, or delete this object and create another',
      },
    ],
  ])('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
  });
});

const paused = {
  state: 'waiting',
  message: 'service svc-1 is PAUSED: waiting until it is READY',
} as const;

test.each<Row>([
  [
    'waits with a change',
    { spec: { cpuMillis: 2000 }, parent: paused },
    {
      type: 'wait',
      reason: 'WaitingForReference',
      message: `to change the size: ${paused.message}`,
      afterMs: 30_000,
    },
  ],
  [
    'leaves a change for later if the service stays stopped',
    { spec: { cpuMillis: 2000 }, parent: { ...paused, state: 'blocked', isStopped: true } },
    {
      type: 'done',
      reason: 'Stopped',
      message: `to change the size: ${paused.message}`,
      differs: true,
    },
  ],
  [
    'leaves a change for later if the service starts in its running hours',
    { spec: { cpuMillis: 2000 }, parent: { ...paused, isStopped: true } },
    {
      type: 'done',
      reason: 'Stopped',
      message: `to change the size: ${paused.message}`,
      differs: true,
    },
  ],
  ['is available without a change', { parent: paused }, available],
  [
    'says so without a change, if the service stays stopped',
    { stoppedService: { message: 'service svc-1 is PAUSED until Mon 07:00 UTC', isReady: true } },
    { type: 'done', reason: 'Stopped', message: 'service svc-1 is PAUSED until Mon 07:00 UTC' },
  ],
])('a replica set whose service is paused %s', (_, given, expected) => {
  expect(decideReplicaSet(replicaSetSituation(given))).toEqual(stepLike(expected));
});
