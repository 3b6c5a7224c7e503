import { describe, expect, test } from 'vitest';
import type { ChangeRules, RuleLevel } from '../../../../src/resources/change-rules.ts';
import { parseWeeklyWindow } from '../../../../src/resources/weekly-window.ts';
import { vpcId } from '../../../../src/cloud/wire/vpc.ts';
import { decided } from '../../../support/decided.ts';
import { replicaSetSituation } from '../../../support/situation-of-others.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { noon, recordOf, type GivenService } from '../../../support/situation.ts';
import { stepLike } from '../../../support/step-like.ts';
import { nextOpening } from '../../../../src/reconcile/decide/gate.ts';
import { paused } from '../../../support/steps.ts';

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
      `${change} waits for a person's approval, which the Namespace requires`,
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
