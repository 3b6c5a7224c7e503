import { describe, expect, test } from 'vitest';
import { serviceId } from '../../../src/cloud/wire/ids.ts';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { resourceKey, systemClock } from '../../../src/runtime/index.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import type { Outcome } from '../../../src/reconcile/step/outcome.ts';
import { call, keep, stall, wait, type Step } from '../../../src/reconcile/step/step.ts';
import { delayReport, patienceMs, stepToReport, rememberWork, unreportedForMs } from '../../../src/reconcile/report/delayed-report.ts';
import { askingStatuses, notReady, readyStatus } from '../../support/asking-statuses.ts';
import { noon, serviceObject, serviceSituation, type GivenService } from '../../support/situation.ts';

/** What is waited for is told after half a minute, and not before. */

const report = wait('CloudUnavailable', 'the cloud fails (HTTP 500); tried again by itself');
const kept = keep(report);
const done: Step = { type: 'done', reason: 'Available', message: 'there' };

type Look = readonly [at: number, lasts: number, step: Step, unreadSince?: number];

function visits(isReady: boolean, outcome: Outcome['type'], ...looks: readonly Look[]) {
  const known = memory().of('ManagedVpc', resourceKey('shop', 'prod'));
  return looks.map(([at, lasts, step, since]) => {
    const unread = since === undefined ? undefined : { report, since };
    return stepToReport({ step, outcome, isReady, unread }, known, at, at + lasts).type;
  });
}

test('a visit that learned nothing is told once that has lasted half a minute', () => {
  expect(visits(false, 'nothing', [0, 0, kept], [29_000, 0, kept], [30_000, 0, kept], [90_000, 0, kept])).toEqual([
    'keep',
    'keep',
    'wait',
    'wait',
  ]);
});

test('a visit that waited so long for an answer itself is told at its end', () => {
  expect(visits(false, 'nothing', [0, 31_000, kept])).toEqual(['wait']);
});

test('whatever is learned begins it anew', () => {
  expect(visits(false, 'nothing', [0, 0, kept], [20_000, 0, done], [31_000, 0, kept])).toEqual(['keep', 'done', 'keep']);
});

test('work that is seen to go on begins it anew, too, also while it cannot be followed', () => {
  const working = wait('Resizing', 'at work', { inProgressSince: 0 });
  expect(visits(false, 'nothing', [0, 0, kept], [20_000, 0, working, 20_000], [31_000, 0, kept])).toEqual(['keep', 'wait', 'keep']);
});

test('what is Ready stays so while it cannot be read, and not while it cannot be written', () => {
  expect(visits(true, 'nothing', [0, 0, kept], [90_000, 0, kept])).toEqual(['keep', 'keep']);
  expect(visits(true, 'writeFailed', [0, 0, kept], [90_000, 0, kept])).toEqual(['keep', 'wait']);
  expect(visits(true, 'conflict', [0, 0, kept], [90_000, 0, kept])).toEqual(['keep', 'wait']);
});

const nothing = { type: 'nothing' } as const;
const atWork = wait('Deleting', 'x', { inProgressSince: 0 });
const action = (type: 'delete' | 'change') =>
  type === 'delete'
    ? call({ type, operation: 'deleteService', id: serviceId.parse('a'), record: undefined }, { reason: 'Deleting', message: 'x' })
    : call(
        {
          type,
          change: { operation: 'stopService', args: [serviceId.parse('a')] },
          from: 'READY',
          wanted: 'PAUSED',
          request: '',
          remedy: '',
        },
        { reason: 'Stopping', message: 'x' },
      );
const accepted = { type: 'done', object: serviceObject(), accepted: { operation: 'delete', wanted: 'a' } } as const;
type Untold = Omit<Parameters<typeof rememberWork>[0], 'situation'>;

test.each<[sentence: string, looks: readonly (readonly [at: number, seen: Untold])[], ms: readonly (number | undefined)[]]>([
  [
    'work is told once it has lasted, counted from when it was seen first',
    [
      [9_000, { step: atWork, outcome: nothing }],
      [10_000, { step: atWork, outcome: nothing }],
      [10_500, { step: atWork, outcome: nothing }],
      [10_600, { step: atWork, outcome: nothing }],
    ],
    [1_500, 500, undefined, undefined],
  ],
  [
    'a deletion that was accepted is told like the work that follows it',
    [
      [0, { step: action('delete'), outcome: accepted }],
      [1_000, { step: atWork, outcome: nothing }],
      [1_500, { step: atWork, outcome: nothing }],
    ],
    [1_500, 500, undefined],
  ],
  ['a change that was accepted is told at once', [[0, { step: action('change'), outcome: accepted }]], [undefined]],
  ['what is waited for otherwise is told at once', [[0, { step: wait('WaitingForReference', 'x'), outcome: nothing }]], [undefined]],
  [
    'each work has its own beginning',
    [
      [0, { step: atWork, outcome: nothing }],
      [5_000, { step: done, outcome: nothing }],
      [6_000, { step: atWork, outcome: nothing }],
    ],
    [1_500, undefined, 1_500],
  ],
])('%s', (_sentence, looks, ms) => {
  const known = memory().of('ManagedService', resourceKey('shop', 'orders'));
  const unreported = looks.map(([now, seen]) => {
    rememberWork({ ...seen, situation: { now } }, known);
    return unreportedForMs({ situation: { now } }, known);
  });
  expect(unreported).toEqual(ms);
});

/** What the status says, and what an event says, once nothing was learned for this long. */
function toldAfter(ms: number, given: GivenService, step: Step): { readonly status: string; readonly events: readonly string[] } {
  const known = memory();
  const events: string[] = [];
  const look = (now: number) =>
    delayReport(
      { kind: serviceKind, situation: serviceSituation({ ...given, now }), step, outcome: nothing },
      { memory: known, clock: { ...systemClock, now: () => now }, events: { record: (_object, { reason }) => void events.push(reason) } },
    ).step;
  look(noon);
  const last = look(noon + ms);
  return { status: 'reason' in last ? last.reason : last.type, events };
}

describe.each(Object.entries(askingStatuses))('an object that says %s', (reason, status) => {
  const given = { status, ...(reason === 'Suspended' ? { spec: { suspend: true } } : {}) };

  test('goes on saying it while the cloud cannot be read: an event tells that', () => {
    expect(toldAfter(patienceMs, given, kept)).toEqual({ status: 'keep', events: ['CloudUnavailable'] });
  });

  test('says nothing of what may pass', () => {
    expect(toldAfter(patienceMs - 1, given, kept)).toEqual({ status: 'keep', events: [] });
  });

  test('says what else a person must do', () => {
    expect(toldAfter(patienceMs, given, keep(stall('Unauthorized', 'x')))).toEqual({ status: 'Unauthorized', events: [] });
  });
});

test.each<[sentence: string, given: GivenService]>([
  ['was only waiting', { status: notReady('Reconciling', 'Creating') }],
  ['asked for a change of the spec, which was made', { status: notReady('Stalled', 'Rejected', 0) }],
  ['was suspended, and goes on', { status: askingStatuses.Suspended }],
])('an object that %s says that the cloud cannot be read', (_sentence, given) => {
  expect(toldAfter(patienceMs, given, kept)).toEqual({ status: 'CloudUnavailable', events: [] });
});

test('a Ready object that cannot be read has no event of it', () => {
  expect(toldAfter(patienceMs, { status: readyStatus }, kept)).toEqual({ status: 'keep', events: [] });
});
