import { describe, expect, test } from 'vitest';
import type { ChangeRules, RuleLevel } from '../../../../src/resources/change-rules.ts';
import { parseWeeklyWindow } from '../../../../src/resources/weekly-window.ts';
import { stall, wait, type Step } from '../../../../src/reconcile/step/step.ts';
import { vpcId } from '../../../../src/cloud/wire/vpc.ts';
import { decided } from '../../../support/decided.ts';
import { replicaSetSituation } from '../../../support/situation-of-others.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import {
  cloudError,
  noon,
  recordOf,
  serviceSituation,
  type GivenService,
} from '../../../support/situation.ts';
import { stepLike } from '../../../support/step-like.ts';
import { nextOpening } from '../../../../src/reconcile/decide/gate.ts';
import { paused } from '../../../support/steps.ts';
import { conclude } from '../../../../src/reconcile/report/conclude.ts';
import type { Outcome } from '../../../../src/reconcile/step/outcome.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { freshMemory, visitOf } from '../../../support/visit.ts';
import { unusable } from '../../../support/our-secret.ts';

/** Noon of the tests is a Saturday, 2026-11-21 12:00 UTC. */
const open = 'Sat 11:00-13:00 UTC';
const shut = 'Sat 02:00-05:00 Europe/Berlin';
const opening = Date.parse('2026-11-28T01:00Z');

function level(source: RuleLevel['source'], ...texts: readonly string[]): RuleLevel {
  const windows = texts.map((text) => {
    const window = parseWeeklyWindow(text);
    if ('problem' in window) throw new Error(window.problem);
    return window;
  });
  return { source, windows };
}

const rules = (...texts: readonly string[]): ChangeRules => ({
  levels: [level('spec.changeWindows', ...texts)],
  approval: undefined,
});
const given = (spec: object, more: GivenService = {}): GivenService => ({
  spec,
  rules: rules(shut),
  wallTime: noon,
  ...more,
});

const size = { cpuMillis: 2000 };
const held = (changes: string, more: object = {}) => ({
  type: 'held',
  reason: 'WaitingForWindow',
  message: `${changes} waits for the change window that opens at 2026-11-28 01:00 UTC`,
  opensInMs: opening - noon,
  ...more,
});
const inVpc = { vpcEndpoint: { host: 'vpc.example.com', port: 5432, vpc_id: 'vpc-2' } };
const pooler = {
  connection_pooler: { endpoint: { host: 'pool.example.com', port: 6432 } },
};

describe('outside of the windows, the gate holds a change that may interrupt connections:', () => {
  test.each([
    ['a resize', given(size), held('resizeService 1000m/4GB -> 2000m/4GB')],
    [
      'a change of high availability',
      given({ highAvailability: { replicaCount: 1 } }),
      held('setServiceHighAvailability 0 (0 synchronous) -> 1 (0 synchronous)'),
    ],
    [
      'a detach from a VPC',
      given({}, { seen: inVpc, vpc: { state: 'found', id: vpcId.parse('vpc-1') } }),
      held('detachServiceFromVpc vpc-2 -> vpc-1'),
    ],
    [
      'a pooler to disable',
      given({ connectionPooler: { enabled: false } }, { seen: pooler }),
      held('disableServicePooler enabled -> disabled'),
    ],
    [
      'two changes, both in the message',
      given({ ...size, highAvailability: { replicaCount: 1 } }),
      { type: 'held', reason: 'WaitingForWindow', opensInMs: opening - noon },
    ],
  ] as const)('%s', (_sentence, situation, expected) => {
    expect(decided(situation)).toMatchObject(expected);
  });

  test('the size of a replica set', () => {
    const situation = replicaSetSituation({
      spec: { nodes: 1, cpuMillis: 2000, memoryGbs: 4 },
      rules: rules(shut),
      wallTime: noon,
    });
    expect(decideReplicaSet(situation)).toMatchObject(
      held('resizeReplicaSet 1000m/4GB -> 2000m/4GB'),
    );
  });
});

describe('outside of the windows, the gate holds nothing else:', () => {
  test.each([
    [
      'an attach',
      given(
        {},
        {
          vpc: { state: 'found', id: vpcId.parse('vpc-1') },
          record: recordOf('svc-1', { vpcAttachment: 'vpc-1' }),
        },
      ),
      'AttachingVpc',
    ],
    ['an environment', given({ environment: 'PROD' }), 'SettingEnvironment'],
    [
      'an environment while a resize waits',
      given({ ...size, environment: 'PROD' }),
      'SettingEnvironment',
    ],
    ['a pooler to enable', given({ connectionPooler: { enabled: true } }), 'ConfiguringPooler'],
    ['a stop', given({ powerState: 'Stopped' }), 'Stopping'],
    ['a start', given({ powerState: 'Running' }, { seen: paused }), 'Starting'],
    [
      'a password',
      given(size, { password: { state: 'rotated', origin: 'rotation r1' } }),
      'RotatingPassword',
    ],
  ] as const)('%s', (_sentence, situation, reason) => {
    expect(decided(situation)).toMatchObject({ type: 'call', reason });
  });

  test('the message of a change that is made does not announce a held change', () => {
    const step = decided(given({ ...size, environment: 'PROD' }));
    expect(step).toMatchObject({ message: 'setting the environment from none to PROD' });
  });

  test('a resize that the cloud has accepted is awaited after the end of the window', () => {
    const lastOperation = {
      operation: 'resizeService',
      from: '1000m/4GB',
      wanted: '2000m/4GB',
      generation: 1,
      at: noon - 3_000,
    };
    expect(decided(given(size, { lastOperation }))).toMatchObject({
      type: 'wait',
      reason: 'Resizing',
    });
  });
});

describe('the gate opens', () => {
  test.each([
    ['while a window is open', rules(open)],
    ['while any of several windows is open', rules(shut, open)],
    [
      'while each level has an open window',
      {
        levels: [
          level('spec.changeWindows', open, shut),
          level('namespace', 'Sat 06:00-20:00 UTC'),
        ],
        approval: undefined,
      },
    ],
    ['without rules', undefined],
    [
      'with a level for approvals alone, and no approval required',
      { levels: [], approval: undefined },
    ],
  ] as const)('%s', (_sentence, given_) => {
    expect(decided(given(size, { rules: given_ }))).toMatchObject({
      type: 'call',
      reason: 'Resizing',
    });
  });
});

describe('the message says why a change is held', () => {
  const change = 'resizeService 1000m/4GB -> 2000m/4GB';
  const namespace = level('namespace', 'Sun 01:00-06:00 UTC');
  test.each([
    [
      'if no window of both levels ever opens together',
      { levels: [level('spec.changeWindows', open), namespace], approval: undefined },
      `${change} waits: no change window opens within 15 days; widen the windows in spec.changeWindows and the Namespace`,
      'WaitingForWindow',
    ],
    [
      'if the next opening of both levels is the second opening of the first level',
      {
        levels: [level('spec.changeWindows', 'Sat-Sun 03:00-05:00 UTC'), namespace],
        approval: undefined,
      },
      `${change} waits for the change window that opens at 2026-11-22 03:00 UTC`,
      'WaitingForWindow',
    ],
    [
      'if nobody can read a rule',
      {
        levels: [],
        approval: undefined,
        problem: 'Namespace shop, annotation x: "y" is no window',
      },
      `${change} waits: Namespace shop, annotation x: "y" is no window`,
      'WaitingForWindow',
    ],
    [
      'if the Namespace requires an approval',
      { levels: [level('spec.changeWindows', open)], approval: 'Required' },
      `${change} waits for an approval: managed-db approve msvc/orders -n shop`,
      'WaitingForApproval',
    ],
  ] as const)('%s', (_sentence, given_, message, reason) => {
    expect(decided(given(size, { rules: given_ }))).toMatchObject({
      type: 'held',
      reason,
      message,
    });
  });
});

describe('a change waits for a window in the running hours of its service:', () => {
  const change = 'resizeService 1000m/4GB -> 2000m/4GB';
  const wake = { 'managed-db.io/awake-until': '2026-11-21T14:00:00Z' };
  test.each<[string, readonly string[], readonly string[], GivenService, object]>([
    [
      'the message says that no window opens in the hours',
      ['Sat 10:00-20:00 UTC'],
      [shut],
      {},
      {
        type: 'held',
        reason: 'WaitingForWindow',
        message: `${change} waits: no change window opens while the service runs; widen spec.runningHours, or the windows in spec.changeWindows`,
      },
    ],
    [
      'the message names the first window in the hours',
      ['Sat 10:00-20:00 UTC', 'Sun 03:00-04:00 UTC'],
      ['Sun 01:00-02:00 UTC', 'Sun 03:30-05:00 UTC'],
      {},
      {
        type: 'held',
        message: `${change} waits for the change window that opens at 2026-11-22 03:30 UTC`,
      },
    ],
    [
      'a service that is awake outside of its hours is changed in an open window',
      ['Mon 07:00-08:00 UTC'],
      [open],
      { annotations: wake },
      { type: 'call', reason: 'Resizing' },
    ],
    [
      'after a wake, no window opens while the service runs',
      ['Mon 07:00-08:00 UTC'],
      [shut],
      { annotations: wake },
      {
        type: 'held',
        message: `${change} waits: no change window opens while the service runs; widen spec.runningHours, or the windows in spec.changeWindows`,
      },
    ],
    [
      'a stopped service says that no window opens while it runs',
      ['Mon 07:00-08:00 UTC'],
      [shut],
      { seen: paused },
      {
        type: 'done',
        reason: 'Stopped',
        message:
          'the service is stopped; size waits: no change window opens while the service runs; widen spec.runningHours, or the windows in spec.changeWindows',
      },
    ],
    [
      'a stopped service whose windows meet its hours says when it starts',
      ['Mon 07:00-08:00 UTC'],
      ['Mon 07:00-08:00 UTC'],
      { seen: paused },
      {
        type: 'done',
        reason: 'Stopped',
        message:
          'stopped until Mon 07:00 UTC (spec.runningHours); to start it: managed-db wake msvc/orders -n shop --for 2h; when it runs again: size',
      },
    ],
    [
      'a service that is awake outside of its hours waits for the next window',
      ['Mon 07:00-08:00 UTC'],
      ['Sat 13:30-13:45 UTC'],
      { annotations: wake },
      {
        type: 'held',
        message: `${change} waits for the change window that opens at 2026-11-21 13:30 UTC`,
      },
    ],
  ])('%s', (_sentence, runningHours, windows, more, expected) => {
    const situation = given({ ...size, runningHours }, { rules: rules(...windows), ...more });
    expect(decided(situation)).toMatchObject(expected);
  });
});

const resize = 'approval.managed-db.io/resizeService';
const change = '1000m/4GB -> 2000m/4GB';
const required = (...texts: readonly string[]): ChangeRules => ({
  levels: texts.length === 0 ? [] : [level('namespace', ...texts)],
  approval: 'Required',
});
const approved = (value: string, more: GivenService = {}) =>
  given(size, { rules: required(open), annotations: { [resize]: value }, ...more });
const waits = (reason: 'WaitingForWindow' | 'WaitingForApproval') => ({ type: 'held', reason });
const sent = { type: 'call', reason: 'Resizing' };

describe('an approval lets a change through:', () => {
  test.each([
    ['the change in words, in an open window', approved(change), sent],
    ['without windows', approved(change, { rules: required() }), sent],
    [
      'the change in words, outside of the windows: it waits for the opening',
      approved(change, { rules: required(shut) }),
      { ...waits('WaitingForWindow'), opensInMs: opening - noon },
    ],
    ['now, outside of the windows', approved(`${change}; now`, { rules: required(shut) }), sent],
    [
      'now, where only windows are required',
      approved(`${change}; now`, { rules: rules(shut) }),
      sent,
    ],
    ['another value', approved('1000m/4GB -> 4000m/4GB'), waits('WaitingForApproval')],
    [
      'another value, now, outside of the windows',
      approved('1000m/4GB -> 4000m/4GB; now', { rules: rules(shut) }),
      waits('WaitingForWindow'),
    ],
    ['another spelling', approved(`${change} ;now`), waits('WaitingForApproval')],
    ['an empty value', approved(''), waits('WaitingForApproval')],
    [
      'another operation',
      given(size, {
        rules: required(open),
        annotations: { 'approval.managed-db.io/setServiceHighAvailability': change },
      }),
      waits('WaitingForApproval'),
    ],
    [
      'a rule that nobody can read asks for no approval, which would change nothing',
      given(size, { rules: { ...required(), problem: 'x of y is unreadable' } }),
      waits('WaitingForWindow'),
    ],
    [
      'a rule that nobody can read holds the change all the same',
      approved(`${change}; now`, { rules: { ...required(), problem: 'x of y is unreadable' } }),
      waits('WaitingForWindow'),
    ],
  ] as const)('%s', (_sentence, situation, expected) => {
    expect(decided(situation)).toMatchObject(expected);
  });

  test('the message says that an approval of another change has no effect', () => {
    expect(decided(approved('1000m/4GB -> 4000m/4GB'))).toMatchObject({
      message: `resizeService ${change} waits for an approval (its annotation approves another change): managed-db approve msvc/orders -n shop`,
    });
  });
});

const accepted = (from: string, wanted: string) => ({
  lastOperation: { operation: 'resizeService', from, wanted, generation: 1, at: noon - 3_000 },
});

/** The refusal of a change by the cloud, which the operator tries again at this time. */
function refusal(asked: string, step: Step, again = noon + 60_000) {
  return new Map([[asked, { generation: 1, again, times: 1, isUnclear: false, step }]]);
}

/** A change without an answer of the cloud. */
function noAnswer(asked: string, step: Step, again = noon + 60_000) {
  return new Map([[asked, { generation: 1, again, times: 1, isUnclear: true, step }]]);
}

describe('an approval is used once:', () => {
  const dropped = {
    type: 'write',
    action: { type: 'dropAnnotations', names: ['approval.managed-db.io/resizeService'] },
  };
  const resized = 'resizeService 2000m/4GB';
  const refused = refusal(resized, stall('Rejected', 'refused'), noon);
  const refusedForNow = refusal(resized, wait('WaitingForCloud', 'busy'));
  const lost = noAnswer(resized, wait('CloudUnavailable', 'the cloud did not answer in time'));
  const removed = {
    removedAnnotations: new Set([`approval.managed-db.io/resizeService ${change}`]),
  };
  const larger = [{ id: 'r', spec: { cpu_millis: 2000, memory_gbs: 4 } }];
  test.each([
    [
      'it is removed when the cloud has accepted its change',
      approved(change, accepted('1000m/4GB', '2000m/4GB')),
      dropped,
    ],
    [
      'it stays when the operator requests its change again',
      approved(change, {
        ...accepted('1000m/4GB', '2000m/4GB'),
        metadata: { generation: 2 },
        lastOperation: {
          ...accepted('1000m/4GB', '2000m/4GB').lastOperation,
          at: noon - 3_600_000,
        },
      }),
      { type: 'call' },
    ],
    [
      'it is removed when the spec asks for a third value meanwhile',
      {
        ...approved(change, accepted('1000m/4GB', '2000m/4GB')),
        spec: { cpuMillis: 4000 },
      },
      dropped,
    ],
    [
      'it is removed when the spec asks for a third value, and the cloud shows the approved value',
      {
        ...approved(change, accepted('1000m/4GB', '2000m/4GB')),
        spec: { cpuMillis: 4000 },
        seen: { resources: larger },
      },
      dropped,
    ],
    [
      'it is removed with its word now',
      approved(`${change}; now`, accepted('1000m/4GB', '2000m/4GB')),
      dropped,
    ],
    [
      'it stays when the cloud has accepted another change',
      approved(change, accepted('500m/2GB', '1000m/4GB')),
      sent,
    ],
    [
      'it is removed when the answer was lost, and the cloud shows its change',
      approved(change, { refusals: lost, seen: { resources: larger } }),
      dropped,
    ],
    [
      'it stays when the cloud refused its change, and another client made the change',
      approved(change, { refusals: refused, seen: { resources: larger } }),
      { type: 'done', reason: 'Available' },
    ],
    [
      'it stays when the cloud refused its change for now, and another client made the change',
      approved(change, { refusals: refusedForNow, seen: { resources: larger } }),
      { type: 'done', reason: 'Available' },
    ],
    [
      'it is removed when the answer to a request that asks a person was lost, and the cloud shows its change',
      approved(change, {
        refusals: noAnswer(resized, stall('CloudError', 'no readable answer')),
        seen: { resources: larger },
      }),
      dropped,
    ],
    [
      'it stays when a GitOps tool wrote it again after the operator had removed it',
      approved(change, { ...accepted('1000m/4GB', '2000m/4GB'), ...removed }),
      { type: 'wait', reason: 'Resizing' },
    ],
    [
      'it stays when the cloud accepted its change once, and refused its next request',
      approved(change, {
        ...accepted('1000m/4GB', '2000m/4GB'),
        lastOperation: {
          ...accepted('1000m/4GB', '2000m/4GB').lastOperation,
          generation: 0,
          at: noon - 3_600_000,
        },
        refusals: refusedForNow,
      }),
      { type: 'wait', reason: 'WaitingForCloud' },
    ],
    [
      'it stays when the answer was lost, and a GitOps tool wrote it again',
      approved(change, { refusals: lost, seen: { resources: larger }, ...removed }),
      { type: 'done', reason: 'Available' },
    ],
    ['it stays when the cloud refused its change', approved(change, { refusals: refused }), sent],
    [
      'it stays when no change fits it',
      given({}, { rules: required(), annotations: { [resize]: change } }),
      { type: 'done', reason: 'Available' },
    ],
  ] as const)('%s', (_sentence, situation, expected) => {
    expect(decided(situation)).toMatchObject(expected);
  });
});

test.each([
  ['a refusal', 'invalid', 422, false],
  ['a refusal for now', 'conflict', 409, false],
  ['a resource that the cloud does not find', 'notFound', 404, false],
  ['an answer that says nothing about the change', 'server', 500, true],
] as const)('the process remembers after %s whether the change may have been made', (...row) => {
  const [, kind, status, isUnclear] = row;
  const situation = serviceSituation(approved(change));
  const step = serviceKind.decide(situation);
  const outcome = {
    type: 'failed',
    error: cloudError(kind, { status }),
    object: situation.object,
    change: { operation: 'resizeService', from: '1000m/4GB', wanted: '2000m/4GB' },
  } as const;
  const { memory } = conclude(visitOf(serviceKind, situation, step, { outcome }));
  expect(memory.refusals.get('resizeService 2000m/4GB')).toMatchObject({ isUnclear });
});

test.each<[sentence: string, given: GivenService, isFailed: boolean]>([
  ['an accepted change of another operation', { spec: { environment: 'PROD' } }, false],
  [
    'a change of another operation that the cloud refuses for now',
    { spec: { environment: 'PROD' } },
    true,
  ],
  ['a change of the password', { password: { state: 'rotated', origin: 'rotation r1' } }, false],
])(
  'the process remembers the approvals that it removed also after %s',
  (_sentence, more, isFailed) => {
    const removedAnnotations = new Set([`approval.managed-db.io/resizeService ${change}`]);
    const situation = serviceSituation({ ...more, removedAnnotations });
    const step = serviceKind.decide(situation);
    expect(step).toMatchObject({ type: 'call' });
    const { object } = situation;
    const outcome: Outcome = isFailed
      ? {
          type: 'failed',
          error: cloudError('conflict', { status: 409 }),
          object,
          change: { operation: 'setServiceEnvironment', from: 'none', wanted: 'PROD' },
        }
      : { type: 'done', object };
    const memory = { ...freshMemory(), removedAnnotations };
    const after = conclude(visitOf(serviceKind, situation, step, { outcome, memory }));
    expect(after.memory.removedAnnotations).toEqual(removedAnnotations);
  },
);

test('the process forgets the removed approvals of an operation alone when it sends this operation', () => {
  const other =
    'approval.managed-db.io/setServiceHighAvailability 0 (0 synchronous) -> 1 (0 synchronous)';
  const removedAnnotations = new Set([`approval.managed-db.io/resizeService ${change}`, other]);
  const situation = serviceSituation(approved(change, { removedAnnotations }));
  const step = serviceKind.decide(situation);
  expect(step).toMatchObject(sent);
  const memory = { ...freshMemory(), removedAnnotations };
  const outcome = { type: 'done', object: situation.object } as const;
  const after = conclude(visitOf(serviceKind, situation, step, { outcome, memory }));
  expect(after.memory.removedAnnotations).toEqual(new Set([other]));
});

test('the process remembers the approvals that it removed, until it sends their operation again', () => {
  const situation = serviceSituation(approved(change, accepted('1000m/4GB', '2000m/4GB')));
  const drop = serviceKind.decide(situation);
  const outcome = { type: 'done', object: situation.object } as const;
  const { memory } = conclude(visitOf(serviceKind, situation, drop, { outcome }));
  expect(memory.removedAnnotations).toEqual(
    new Set([`approval.managed-db.io/resizeService ${change}`]),
  );
  const next = serviceSituation(
    approved(change, { removedAnnotations: memory.removedAnnotations }),
  );
  const call = serviceKind.decide(next);
  expect(call).toMatchObject(sent);
  const after = conclude(visitOf(serviceKind, next, call, { outcome, memory }));
  expect(after.memory.removedAnnotations).toBeUndefined();
});

describe('a new service is not held until its first spec was attempted:', () => {
  const highAvailability = { highAvailability: { replicaCount: 1 } };
  const since = (status: object, metadata: object = {}) =>
    given(highAvailability, { status, metadata, rules: required(shut) });
  const replicas = { type: 'call', reason: 'ConfiguringHighAvailability' };
  const replica = 'setServiceHighAvailability 1 (0 synchronous)';
  test.each([
    ['a new service', since({ newGeneration: 1 }), replicas],
    ['a new service that was READY before', since({ newGeneration: 1, wasReady: true }), replicas],
    [
      'a new service with a later spec is held',
      since({ newGeneration: 1, wasReady: true }, { generation: 2 }),
      waits('WaitingForApproval'),
    ],
    [
      'a new service whose spec changed while the cloud was silent is held',
      since({ newGeneration: 1, wasReady: true, observedGeneration: 2 }, { generation: 2 }),
      waits('WaitingForApproval'),
    ],
    [
      'a service that was as its spec asked is held',
      since({ wasReady: true }),
      waits('WaitingForApproval'),
    ],
    [
      'the status of another service does not count',
      since({ newGeneration: 1, id: 'svc-0' }),
      waits('WaitingForApproval'),
    ],
    [
      'a change that the cloud refused is held while another change of the new service has no answer',
      {
        ...since({ newGeneration: 1, wasReady: true }),
        spec: { ...highAvailability, ...size },
        refusals: new Map([
          ...refusal(replica, stall('Rejected', 'refused'), noon),
          ...noAnswer('resizeService 2000m/4GB', wait('CloudUnavailable', 'no answer')),
        ]),
      },
      { type: 'wait', reason: 'CloudUnavailable' },
    ],
    [
      'a change that the cloud refused for now is held at its next attempt',
      {
        ...since({ newGeneration: 1, wasReady: true }),
        refusals: refusal(replica, wait('WaitingForCloud', 'busy'), noon),
      },
      waits('WaitingForApproval'),
    ],
    [
      'a change without an answer is sent again',
      {
        ...since({ newGeneration: 1, wasReady: true }),
        refusals: noAnswer(replica, wait('CloudUnavailable', 'no answer'), noon),
      },
      replicas,
    ],
    [
      'a change that the cloud refused with an earlier spec is sent',
      {
        ...since({ newGeneration: 1 }, { generation: 2 }),
        refusals: refusal(replica, stall('Rejected', 'refused'), noon),
      },
      replicas,
    ],
    [
      'a service that an earlier object created is held, also with a status of a backup',
      { ...since({ newGeneration: 1 }), record: { isRestored: true } },
      waits('WaitingForApproval'),
    ],
  ] as const)('%s', (_sentence, situation, expected) => {
    expect(decided(situation)).toMatchObject(expected);
  });

  const lacksReplicas = { spec: highAvailability, status: { newGeneration: 1, wasReady: true } };
  test.each<[sentence: string, given: GivenService, newGeneration: 1 | undefined]>([
    ['a service that the cloud is creating is new', { seen: { status: 'QUEUED' } }, 1],
    [
      'a first look at a READY service, as after a restore',
      { status: { id: undefined } },
      undefined,
    ],
    [
      'a new service that lacks its replicas stays new',
      { spec: highAvailability, status: { newGeneration: 1, wasReady: true } },
      1,
    ],
    ['a service that is as its spec asks', { status: { newGeneration: 1 } }, undefined],
    [
      'a service whose missing replicas the cloud refused is not new any more',
      { ...lacksReplicas, refusals: refusal(replica, stall('Rejected', 'refused')) },
      undefined,
    ],
    [
      'a service whose missing replicas the cloud accepted without effect is not new any more',
      {
        ...lacksReplicas,
        status: {
          ...lacksReplicas.status,
          notApplied: [
            {
              operation: 'setServiceHighAvailability',
              from: '0 (0 synchronous)',
              wanted: '1 (0 synchronous)',
              generation: 1,
            },
          ],
        },
      },
      undefined,
    ],
    [
      'a service whose missing replicas the cloud refused for now is not new any more',
      { ...lacksReplicas, refusals: refusal(replica, wait('WaitingForCloud', 'busy')) },
      undefined,
    ],
    [
      'a service whose missing replicas the cloud refused is not new either when the next attempt is due',
      { ...lacksReplicas, refusals: refusal(replica, stall('Rejected', 'refused'), noon) },
      undefined,
    ],
    [
      'a service whose request for replicas has no answer stays new',
      { ...lacksReplicas, refusals: noAnswer(replica, stall('CloudError', 'no readable answer')) },
      1,
    ],
    [
      'a service that lacks only a change that no rule holds is not new any more',
      {
        spec: { environment: 'PROD' },
        password: { state: 'waiting', message: 'no Secret' },
        status: { newGeneration: 1, wasReady: true },
      },
      undefined,
    ],
    [
      'a later spec ends the time of a new service',
      {
        spec: highAvailability,
        status: { newGeneration: 1, wasReady: true },
        metadata: { generation: 2 },
      },
      undefined,
    ],
    [
      'a service that an earlier object created is never new',
      { seen: { status: 'CONFIGURING' }, record: { isRestored: true } },
      undefined,
    ],
    [
      'an adopted service is never new',
      { seen: { status: 'CONFIGURING' }, record: { outcome: 'adopted' } },
      undefined,
    ],
  ])('%s', (_sentence, row, newGeneration) => {
    expect(serviceKind.mirror(serviceSituation(row))).toHaveProperty(
      'newGeneration',
      newGeneration,
    );
  });
});

test('a stopped service names the command that approves a change for when it runs again', () => {
  const situation = given({ ...size, powerState: 'Stopped' }, { rules: required(), seen: paused });
  expect(decided(situation)).toMatchObject({
    reason: 'Stopped',
    message:
      'the service is stopped; size waits for an approval: managed-db approve msvc/orders -n shop',
  });
});

test('a stopped service with more changes than fit gives the number of the rest', () => {
  const problem = 'y'.repeat(140);
  const spec = {
    ...size,
    powerState: 'Stopped',
    environment: 'DEV',
    highAvailability: { replicaCount: 1 },
    connectionPooler: { enabled: true },
  };
  const step = decided(
    given(spec, { seen: paused, rules: { levels: [], approval: undefined, problem } }),
  );
  expect(step).toMatchObject({
    message: `the service is stopped; size and 3 more waits: ${problem}`,
  });
});

test('a stopped service says that it is stopped: a held change is postponed there', () => {
  expect(decided(given({ ...size, powerState: 'Stopped' }, { seen: paused }))).toEqual(
    stepLike({
      type: 'done',
      reason: 'Stopped',
      message: 'the service is stopped, as asked; when it runs again: size',
      differs: true,
    }),
  );
});

test.each<[sentence: string, rules: ChangeRules, names: string]>([
  [
    'as many changes as fit, and the number of the rest',
    { levels: [level('spec.changeWindows', shut)], approval: undefined },
    'detachServiceFromVpc vpc-2 -> vpc-1, resizeService 1000m/4GB -> 2000m/4GB and 1 more',
  ],
  [
    'a single change, and the number of the rest beside a long reason',
    { levels: [], approval: undefined, problem: 'y'.repeat(120) },
    'detachServiceFromVpc vpc-2 -> vpc-1 and 2 more',
  ],
])('the message about three held changes names %s', (_, held_, names) => {
  const spec = { ...size, highAvailability: { replicaCount: 1 } };
  const vpc = { state: 'found', id: vpcId.parse('vpc-1') } as const;
  const step = decided(given(spec, { seen: inVpc, vpc, rules: held_ }));
  const message = 'message' in step ? step.message : '';
  expect(message.slice(0, message.indexOf(' waits'))).toBe(names);
  expect(message.length).toBeLessThanOrEqual(200);
});

/** Ten windows, every second hour from an hour on. */
function daily(from: number): readonly string[] {
  return Array.from({ length: 10 }, (_, at) => {
    const hours = String(from + at * 2).padStart(2, '0');
    return `Mon-Sun ${hours}:00-${hours}:30 Europe/Berlin`;
  });
}

test('the opening of ten and ten windows that never meet is known within a second', () => {
  const began = performance.now();
  expect(
    nextOpening([level('spec.changeWindows', ...daily(0)), level('namespace', ...daily(1))], noon),
  ).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(1_000);
});

describe('held changes begin within a minute after the opening, and within a tenth of the window:', () => {
  test.each([
    ['Sat 14:00-18:00 UTC', [], 120, 60_000],
    ['Sat 14:00-14:05 UTC', [], 120, 30_000],
    ['Sat 14:00-14:01 UTC', [], 120, 6_000],
    ['Sat 14:00-18:00 UTC', ['Sat 13:00-14:02 UTC'], 120, 12_000],
  ] as const)('%s with %j of the Namespace', (own, others, opensInMinutes, spreadMs) => {
    const levels = [
      level('spec.changeWindows', own),
      ...(others.length === 0 ? [] : [level('namespace', ...others)]),
    ];
    const situation = serviceSituation(given(size, { rules: { levels, approval: undefined } }));
    const step = serviceKind.decide(situation);
    const visit = { ...visitOf(serviceKind, situation, step), random: 0.999 };
    const short = { ...visit, step: step.type === 'held' ? { ...step, opensInMs: 0 } : step };
    expect(step).toMatchObject({ type: 'held', opensInMs: opensInMinutes * 60_000 });
    const next = conclude(short).next;
    expect(next).toEqual({ afterMs: 0.999 * spreadMs });
  });
});

describe('whatever rule speaks, status lists the held changes:', () => {
  test.each([
    ['the service is unstable', { seen: { status: 'UNSTABLE' } }],
    ['another Secret has the name of the connection Secret', { secret: unusable }],
    ['the cloud is working on the service', { seen: { status: 'UPDATING' } }],
    ['the service waits for its VPC', { vpc: { state: 'waiting', message: 'it waits' } }],
  ] as const)('%s', (_sentence, more) => {
    const situation = serviceSituation(given(size, more));
    const step = serviceKind.decide(situation);
    expect(step.type).not.toBe('held');
    // Brief work is not reported at once.
    const memory = { ...freshMemory(), unreportedSince: situation.now - 10_000 };
    const { status } = conclude(visitOf(serviceKind, situation, step, { memory }));
    const { metadata, spec } = situation.object;
    expect(managedServices.parse({ metadata, spec, status }).status?.heldChanges).toEqual([
      {
        operation: 'resizeService',
        change: '1000m/4GB -> 2000m/4GB',
        waitsFor: 'Window',
        until: '2026-11-28T01:00:00.000Z',
        since: new Date(situation.now).toISOString(),
      },
    ]);
  });
});

test('a service that is lost holds no change', () => {
  const cloud = { state: 'absent' } as const;
  const since = '2026-11-21T11:00:00.000Z';
  const heldChanges = [{ operation: 'resizeService', change, waitsFor: 'Window', since }];
  const situation = serviceSituation(given(size, { cloud, status: { heldChanges } }));
  const { status } = conclude(visitOf(serviceKind, situation, serviceKind.decide(situation)));
  expect(status).toHaveProperty('heldChanges', undefined);
});

test('an object that asks a person is visited at the opening of a held change, too', () => {
  const wallTime = opening - 120_000;
  const situation = serviceSituation(given(size, { wallTime }));
  const { next } = conclude(visitOf(serviceKind, situation, stall('CloudError', 'refused')));
  expect(next).toEqual({ afterMs: 120_000 });
});
