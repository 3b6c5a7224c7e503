import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { listPoller } from '../../../src/cloud/list-poller.ts';
import { serviceId, type Service } from '../../../src/cloud/wire/service.ts';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { resourceKey, systemClock } from '../../../src/runtime/index.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import type { Outcome } from '../../../src/reconcile/step/outcome.ts';
import { call, keep, stall, wait, type Step } from '../../../src/reconcile/step/step.ts';
import { delayReport, patienceMs, stepToReport, rememberWork, unreportedForMs } from '../../../src/reconcile/report/delayed-report.ts';
import { report } from '../../../src/reconcile/report/report.ts';
import { condition, readyOf } from '../../../src/resources/condition.ts';
import { askingStatuses, notReady, readyStatus } from '../../support/asking-statuses.ts';
import { usableAccount } from '../../support/usable-account.ts';
import { cloudError, noon, serviceObject, serviceSituation, type GivenService } from '../../support/situation.ts';

/** What is waited for is told after half a minute, and not before. */

const unread = wait('CloudUnavailable', 'the cloud fails (HTTP 500); tried again by itself');
const kept = keep(unread);
const done: Step = { type: 'done', reason: 'Available', message: 'there' };

type Look = readonly [at: number, lasts: number, step: Step, unreadSince?: number];

function visits(isReady: boolean, outcome: Outcome['type'], ...looks: readonly Look[]) {
  const known = memory().of('ManagedVpc', resourceKey('shop', 'prod'));
  return looks.map(([at, lasts, step, since]) => {
    const progress = since === undefined ? undefined : { report: unread, since };
    return stepToReport({ step, outcome, isReady, unread: progress }, known, at, at + lasts).type;
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

test('a visit that learned nothing since lists have failed is told once they have failed for half a minute', () => {
  const known = memory().of('ManagedVpc', resourceKey('shop', 'prod'));
  const fresh = memory().of('ManagedVpc', resourceKey('shop', 'test'));
  const end = { step: kept, outcome: 'nothing', isReady: false, failingSince: 0 } as const;
  expect([29_000, 30_000].map((at) => stepToReport(end, known, at, at).type)).toEqual(['keep', 'wait']);
  stepToReport({ ...end, isReady: true }, fresh, 30_000, 30_000);
  expect(fresh.waitingSince, 'of a Ready object the visits count').toBe(30_000);
});

/** What the first visit that learned nothing reports, with these lists. */
function firstReport(lists: object): Step['type'] {
  const situation = { ...serviceSituation({ status: notReady('Reconciling', 'Creating') }), ...lists };
  const visit = { kind: serviceKind, situation, step: kept, outcome: { type: 'nothing' } } as const;
  return delayReport(visit, { memory: memory(), clock: { ...systemClock, now: () => noon } }).step.type;
}

test('which lists count is told by the situation: that of the progress, or its own', () => {
  const failing = { ...usableAccount().account.observer.services, failingSince: noon - patienceMs };
  expect([firstReport({}), firstReport({ list: failing }), firstReport({ progressList: failing })]).toEqual(['keep', 'wait', 'wait']);
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
    ? call(
        {
          type,
          id: 'a',
          operation: 'deleteService',
          args: [serviceId.parse('a')],
          record: undefined,
          isUnshown: false,
          isCalledDeleted: false,
        },
        { reason: 'Deleting', message: 'x' },
      )
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

const conditionsIn = (status: object | undefined) => z.object({ conditions: z.array(condition) }).parse(status);

/** The status that is written once nothing was learned for this long, if any. */
function writtenAfter(ms: number, given: GivenService, step: Step): object | undefined {
  const known = memory();
  const look = (now: number) =>
    report(
      delayReport(
        { kind: serviceKind, situation: serviceSituation({ ...given, now }), step, outcome: nothing },
        { memory: known, clock: { ...systemClock, now: () => now } },
      ),
    );
  look(noon);
  return look(noon + ms);
}

describe.each(Object.entries(askingStatuses))('an object that says %s', (reason, status) => {
  const given = { status, ...(reason === 'Suspended' ? { spec: { suspend: true } } : {}) };
  const adding = (trouble: string) => ({
    conditions: status.conditions.map((each) => ({ ...each, message: `there; nothing goes on for now: ${trouble}` })),
  });

  test('goes on saying it while the cloud cannot be read, and adds that', () => {
    expect(writtenAfter(patienceMs, given, kept)).toMatchObject(adding(unread.message));
  });

  test('adds only what is so now', () => {
    for (const earlier of [unread.message, 'other trouble'])
      expect(writtenAfter(patienceMs, { ...given, status: adding(earlier) }, kept)).toMatchObject(adding(unread.message));
  });

  test('says nothing of what may pass', () => {
    expect(writtenAfter(patienceMs - 1, given, kept)).toBeUndefined();
  });

  test('says what else a person must do', () => {
    expect(readyOf({ status: conditionsIn(writtenAfter(patienceMs, given, keep(stall('Unauthorized', 'x')))) })).toMatchObject({
      reason: 'Unauthorized',
      message: 'x',
    });
  });

  test('says no more of it once something is learned', () => {
    const learned = stall('Lost', 'gone');
    const later = writtenAfter(patienceMs, { ...given, status: adding(unread.message) }, learned);
    expect(readyOf({ status: conditionsIn(later) })).toMatchObject({ reason: 'Lost', message: 'gone' });
  });
});

test.each<[sentence: string, given: GivenService]>([
  ['was only waiting', { status: notReady('Reconciling', 'Creating') }],
  ['asked for a change of the spec, which was made', { status: notReady('Stalled', 'Rejected', 0) }],
  ['was suspended, and goes on', { status: askingStatuses.Suspended }],
])('an object that %s says that the cloud cannot be read', (_sentence, given) => {
  expect(readyOf({ status: conditionsIn(writtenAfter(patienceMs, given, kept)) })).toMatchObject({
    reason: 'CloudUnavailable',
    message: unread.message,
  });
});

test('a Ready object that cannot be read says nothing of it', () => {
  expect(writtenAfter(patienceMs, { status: readyStatus }, kept)).toBeUndefined();
});

test.each([
  [
    'something else',
    wait('WaitingForReference', 'a VPC is missing'),
    /^a VPC is missing \(as of .*: since then the cloud fails \(HTTP 500\)\)$/u,
  ],
  ['an outage of the cloud, which tells of it already', unread, /^the cloud fails \(HTTP 500\); tried again by itself$/u],
])('whoever waits for %s is told of a list that fails, once', async (_sentence, step, message) => {
  const list = listPoller<Service>({
    operation: 'listServices',
    list: () => Promise.reject(cloudError()),
    idOf: ({ service_id: id }) => id,
    clock: systemClock,
    random: () => 0,
    shareMs: 0,
  });
  list.feed([], noon);
  await expect(list.since(systemClock.now())).rejects.toMatchObject({ kind: 'server' });
  const situation = { ...serviceSituation(), list };
  const clock = { ...systemClock, now: () => noon + patienceMs };
  const { step: told } = delayReport({ kind: serviceKind, situation, step, outcome: nothing }, { memory: memory(), clock });
  list.stop();
  expect('message' in told && told.message).toMatch(message);
});
