import { expect, test } from 'vitest';
import { service } from '../../../../../src/cloud/wire/service.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { serviceKind } from '../../../../../src/reconcile/kinds/service/kind.ts';
import { serviceSituation } from '../../../../support/situation.ts';
import { serviceChanges } from '../../../../support/service-values.ts';
import { asked, available, paused, saying, stopped } from '../../../../support/steps.ts';

/**
 * Size, high availability, environment, pooler: the spec of a running service, and the single request that applies
 * each field.
 */

const sizeOf = (cpu_millis: number | undefined, memory_gbs: number | undefined) => ({
  resources: [{ spec: { cpu_millis, memory_gbs } }],
});
const resized = (cpu: number, memory: number, from = '1000m/4GB') =>
  asked(
    { operation: 'resizeService', size: { cpu_millis: String(cpu), memory_gbs: String(memory) } },
    from,
    `${cpu}m/${memory}GB`,
    'Resizing',
    `resizing from ${from} to ${cpu}m/${memory}GB`,
  );

const size: readonly Row[] = [
  ['the current size is not requested', { spec: { cpuMillis: 1000, memoryGbs: 4 } }, available],
  [
    'a changed size is requested, as text and in both numbers',
    { spec: { cpuMillis: 2000, memoryGbs: 8 } },
    resized(2000, 8),
  ],
  ['a smaller size is requested', { spec: { cpuMillis: 500, memoryGbs: 2 } }, resized(500, 2)],
  ['CPU alone in the spec keeps the memory', { spec: { cpuMillis: 2000 } }, resized(2000, 4)],
  ['memory alone in the spec keeps the CPU', { spec: { memoryGbs: 8 } }, resized(1000, 8)],
  [
    'more memory with the old CPU is requested',
    { spec: { cpuMillis: 1000, memoryGbs: 8 } },
    resized(1000, 8),
  ],
  [
    'more CPU with the old memory is requested',
    { spec: { cpuMillis: 2000, memoryGbs: 4 } },
    resized(2000, 4),
  ],
  ['a size that is left out stays as it is', { spec: {}, seen: sizeOf(64000, 256) }, available],
  ['shared is any size', { spec: { cpuMillis: 'shared', memoryGbs: 'shared' } }, available],
  [
    'shared CPU beside a number, which the API server refuses, is any size',
    { spec: { cpuMillis: 'shared', memoryGbs: 8 } },
    available,
  ],
  [
    'shared memory beside a number is any size',
    { spec: { cpuMillis: 2000, memoryGbs: 'shared' } },
    available,
  ],
  [
    'no size is requested if the cloud shows no resources',
    { spec: { cpuMillis: 2000, memoryGbs: 8 }, seen: { resources: [] } },
    available,
  ],
  [
    'no size is requested if the cloud shows no CPU',
    { spec: { cpuMillis: 2000, memoryGbs: 8 }, seen: sizeOf(undefined, 4) },
    available,
  ],
  [
    'no size is requested if the cloud shows no memory',
    { spec: { cpuMillis: 2000, memoryGbs: 8 }, seen: sizeOf(1000, undefined) },
    available,
  ],
];

const replicasOf = (replica_count: number, sync_replica_count: number) => ({
  ha_replicas: { replica_count, sync_replica_count },
});
const replicated = (replicas: object, from: string, wanted: string) =>
  asked(
    { operation: 'setServiceHighAvailability', replicas },
    from,
    wanted,
    'ConfiguringHighAvailability',
    `changing the high-availability replicas from ${from} to ${wanted}`,
  );

const highAvailability: readonly Row[] = [
  [
    'no replicas are wanted, and the cloud shows none',
    { spec: { highAvailability: { replicaCount: 0, syncReplicaCount: 0 } } },
    available,
  ],
  [
    'a changed number of replicas is sent alone',
    { spec: { highAvailability: { replicaCount: 3 } }, seen: replicasOf(2, 1) },
    replicated({ replica_count: 3 }, '2 (1 synchronous)', '3 (1 synchronous)'),
  ],
  [
    'fewer replicas than the synchronous replicas make those fewer, too',
    { spec: { highAvailability: { replicaCount: 0 } }, seen: replicasOf(2, 1) },
    replicated(
      { replica_count: 0, sync_replica_count: 0 },
      '2 (1 synchronous)',
      '0 (0 synchronous)',
    ),
  ],
  [
    'a cloud that kept a synchronous replica without replicas is asked again',
    { spec: { highAvailability: { replicaCount: 0 } }, seen: replicasOf(0, 1) },
    replicated(
      { replica_count: 0, sync_replica_count: 0 },
      '0 (1 synchronous)',
      '0 (0 synchronous)',
    ),
  ],
  [
    'a changed number of synchronous replicas is sent alone',
    { spec: { highAvailability: { syncReplicaCount: 2 } }, seen: replicasOf(2, 1) },
    replicated({ sync_replica_count: 2 }, '2 (1 synchronous)', '2 (2 synchronous)'),
  ],
  [
    'both numbers are sent if the cloud shows no replicas',
    { spec: { highAvailability: { replicaCount: 2, syncReplicaCount: 1 } } },
    replicated(
      { replica_count: 2, sync_replica_count: 1 },
      '0 (0 synchronous)',
      '2 (1 synchronous)',
    ),
  ],
  [
    'zero replicas are requested if the cloud shows replicas',
    {
      spec: { highAvailability: { replicaCount: 0, syncReplicaCount: 0 } },
      seen: replicasOf(2, 1),
    },
    replicated(
      { replica_count: 0, sync_replica_count: 0 },
      '2 (1 synchronous)',
      '0 (0 synchronous)',
    ),
  ],
];

const tagged = (environment: string, from: string) =>
  asked(
    { operation: 'setServiceEnvironment', body: { environment } },
    from,
    environment,
    'SettingEnvironment',
    `setting the environment from ${from} to ${environment}`,
  );

const environment: readonly Row[] = [
  [
    'a changed tag is set',
    { spec: { environment: 'PROD' }, seen: { metadata: { environment: 'DEV' } } },
    tagged('PROD', 'DEV'),
  ],
  ['the first tag is set', { spec: { environment: 'DEV' } }, tagged('DEV', 'none')],
];

const pooler = { connection_pooler: { endpoint: { host: 'pool.example.com', port: 6432 } } };
const switched = (to: 'enabled' | 'disabled') =>
  asked(
    { operation: to === 'enabled' ? 'enableServicePooler' : 'disableServicePooler' },
    to === 'enabled' ? 'disabled' : 'enabled',
    to,
    'ConfiguringPooler',
    `${to === 'enabled' ? 'enabling' : 'disabling'} the connection pooler`,
  );
const withPooler = (enabled: boolean) => ({ connectionPooler: { enabled } });
const connectionPooler: readonly Row[] = [
  ['a missing pooler is enabled', { spec: withPooler(true) }, switched('enabled')],
  [
    'an existing pooler is disabled',
    { spec: withPooler(false), seen: pooler },
    switched('disabled'),
  ],
  ['a missing pooler is not disabled', { spec: withPooler(false) }, available],
  [
    'a pooler without an address counts as missing',
    { spec: withPooler(false), seen: { connection_pooler: {} } },
    available,
  ],
];

test.each(size)('the size of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(highAvailability)('the high availability of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(environment)('the environment of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(connectionPooler)('the connection pooler of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(serviceChanges)(
  'a changed $field is requested, left if the spec does not set the field, and postponed until the service runs',
  (row) => {
    const seen = service.parse({ service_id: 's1', ...row.inCloud });
    expect(decided({ spec: row.spec })).toMatchObject({
      type: 'call',
      action: { change: { operation: row.operation } },
    });
    expect(decided({ spec: row.spec, seen })).toEqual(available);
    expect(decided({ spec: {}, seen })).toEqual(available);
    expect(decided({ spec: row.spec, seen: paused })).toMatchObject({
      reason: 'Stopped',
      message: saying('; when it runs again: '),
    });
  },
);

const states: readonly Row[] = [
  [
    'a running service with powerState Stopped is stopped',
    { spec: { powerState: 'Stopped' } },
    asked({ operation: 'stopService' }, 'Running', 'Stopped', 'Stopping', 'stopping the service'),
  ],
  [
    'a stopped service with powerState Running is started',
    { spec: { powerState: 'Running' }, seen: paused },
    asked({ operation: 'startService' }, 'Stopped', 'Running', 'Starting', 'starting the service'),
  ],
  [
    'a running service with powerState Running is left',
    { spec: { powerState: 'Running' } },
    available,
  ],
  [
    'a stopped service with powerState Stopped is left',
    { spec: { powerState: 'Stopped' }, seen: paused },
    stopped('the service is stopped, as asked'),
  ],
  ['a running service without powerState is left', { spec: {} }, available],
  [
    'a stopped service without powerState is not started',
    { spec: {}, seen: paused },
    stopped('the service is stopped; set spec.powerState to Running to start it'),
  ],
  [
    'a stopped service with powerState Stopped is not started for other differences',
    { spec: { powerState: 'Stopped', cpuMillis: 2000, environment: 'DEV' }, seen: paused },
    stopped('the service is stopped, as asked; when it runs again: size, environment'),
  ],
];

/** The default situation is at noon of a Saturday. */
const closed = { runningHours: ['Mon-Fri 07:00-20:00 Europe/Berlin'] };
const until =
  'stopped until Mon 07:00 Europe/Berlin (spec.runningHours); to start it: managed-db wake msvc/orders -n shop --for 2h';
const wake = (awakeUntil: string) => ({ annotations: { 'managed-db.io/awake-until': awakeUntil } });
const ignored = 'managed-db.io/awake-until is ignored: write a time such as 2026-11-28T18:00:00Z';

const hours: readonly Row[] = [
  [
    'a service that runs outside of its hours is stopped',
    { spec: closed },
    asked({ operation: 'stopService' }, 'Running', 'Stopped', 'Stopping', 'stopping the service'),
  ],
  [
    'a service whose hours ended four minutes ago is left running',
    { spec: closed, wallTime: Date.parse('2026-11-20T19:04:00Z') },
    available,
  ],
  [
    'a stopped service is started in its hours',
    { spec: closed, seen: paused, wallTime: Date.parse('2026-11-23T06:00:00Z') },
    asked({ operation: 'startService' }, 'Stopped', 'Running', 'Starting', 'starting the service'),
  ],
  [
    'a stopped service says when it starts, and how to start it now',
    { spec: closed, seen: paused },
    stopped(until),
  ],
  [
    'changes of a stopped service do not start it',
    { spec: { ...closed, cpuMillis: 2000 }, seen: paused },
    stopped(`${until}; when it runs again: size`),
  ],
  [
    'a stopped service with a wake is started',
    { spec: closed, seen: paused, ...wake('2026-11-21T14:00:00Z') },
    asked({ operation: 'startService' }, 'Stopped', 'Running', 'Starting', 'starting the service'),
  ],
  [
    'a running service with a wake is left running, and says until when',
    { spec: closed, ...wake('2026-11-21T15:00:00+01:00') },
    { ...available, message: `${available.message}; awake until 2026-11-21 14:00 UTC` },
  ],
  [
    'a forgotten wake shows also in the hours',
    { spec: closed, wallTime: Date.parse('2026-11-23T12:00:00Z'), ...wake('2099-01-01T00:00:00Z') },
    { ...available, message: `${available.message}; awake until 2099-01-01 00:00 UTC` },
  ],
  [
    'a wake that is over is in no message',
    { spec: closed, wallTime: Date.parse('2026-11-23T12:00:00Z'), ...wake('2026-11-21T14:00:00Z') },
    available,
  ],
  [
    'a wake of a service without hours is in no message',
    { ...wake('2099-01-01T00:00:00Z') },
    available,
  ],
  [
    'a wake of many days starts a stopped service at once',
    { spec: closed, seen: paused, ...wake('2026-12-21T14:00:00Z') },
    asked({ operation: 'startService' }, 'Stopped', 'Running', 'Starting', 'starting the service'),
  ],
  [
    'a wake that is no time is ignored with a message',
    { spec: closed, seen: paused, ...wake('for a while') },
    stopped(`${until}; ${ignored}`),
  ],
  [
    'a wake that is no time is ignored with a message also in the hours',
    { spec: closed, wallTime: Date.parse('2026-11-23T12:00:00Z'), ...wake('for a while') },
    { ...available, message: `${available.message}; ${ignored}` },
  ],
  [
    'a stopped service that the operator only observes names no start',
    { spec: { ...closed, managementPolicy: 'Observe' }, seen: paused },
    expect.objectContaining({ type: 'done', reason: 'Observed' }),
  ],
];

test.each([
  ['is suspended', { suspend: true }],
  ['is only observed', { managementPolicy: 'Observe' }],
])('a service that %s says nothing about a wake, which has no effect there', (_, left) => {
  for (const each of [wake('2099-01-01T00:00:00Z'), wake('for a while')])
    expect(
      serviceKind.serving(serviceSituation({ spec: { ...closed, ...left }, ...each }))?.message,
    ).toMatch(/^the service is available(?!.*awake)/u);
});

test.each([
  ['running hours', closed, 'change spec.runningHours'],
  ['a power state', { powerState: 'Stopped' }, 'change spec.powerState'],
])('a refused stop that %s request advises to change that field', (_, spec, remedy) => {
  expect(decided({ spec })).toMatchObject({ action: { remedy } });
  const start = { spec: { ...spec, ...('powerState' in spec ? { powerState: 'Running' } : {}) } };
  const atWork = { seen: paused, wallTime: Date.parse('2026-11-23T06:00:00Z') };
  expect(decided({ ...start, ...atWork })).toMatchObject({ action: { remedy } });
});

test.each(hours)('the running hours of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(states)('the power state of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
