import { expect, test } from 'vitest';
import { decideReplicaSet } from '../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService } from '../../../src/reconcile/kinds/service/kind.ts';
import type { ObjectMemory } from '../../../src/reconcile/process/memory.ts';
import { longWorkMs, withPatience, workAfter } from '../../../src/reconcile/report/long-work.ts';
import { call, keep, stall, wait, type Step } from '../../../src/reconcile/step/step.ts';
import { known, noon, serviceSituation } from '../../support/situation.ts';
import { replicaSetSituation } from '../../support/situation-of-others.ts';

/** The cloud's work that shows no change for ten minutes says since when, and what to do, and is not polled often any more. */

const deletion = { requested: true };
const services = ['QUEUED', 'CONFIGURING', 'PAUSING', 'RESUMING', 'UNSTABLE', 'DANCING', undefined].map(
  (status) => [`a service that is ${status}`, decideService(serviceSituation({ seen: { status } }))] as const,
);
const sets = ['creating', 'resizing', 'dancing', undefined].map(
  (status) => [`a replica set that is ${status}`, decideReplicaSet(replicaSetSituation({ seen: { status } }))] as const,
);
const leaving = [
  ['a service that is being deleted', decideService(serviceSituation({ deletion, seen: { status: 'DELETING' } }))],
  ['a replica set that is being deleted', decideReplicaSet(replicaSetSituation({ deletion, seen: { status: 'deleting' } }))],
] as const;

const look = (step: Step, memory: Pick<ObjectMemory, 'work'>, now: number, { told = '', seen = 'READY' } = {}) => {
  const condition = { type: 'Ready', status: 'False', reason: 'Creating', message: told, lastTransitionTime: '2026-11-21T09:00:00.000Z' };
  const situation = { ...serviceSituation({ status: { conditions: [condition] }, seen: { status: seen } }), identity: known(), now };
  const work = workAfter(step, situation, memory.work);
  if (work) memory.work = work;
  else delete memory.work;
  return withPatience(step, work, situation);
};
const told = (step: Step) => ('message' in step ? step.message : '');
const since =
  "; seen without a change since 2026-11-21T12:00:00.000Z: look at it there; if it does not end, ask the cloud's support with the id svc-1";

test.each([...services, ...sets, ...leaving])('%s for ten minutes', (_, step) => {
  const memory = {};
  expect(step.type === 'wait' && step.inProgressSince).toBeTypeOf('number');
  expect(look(step, memory, noon)).toBe(step);
  expect(look(step, memory, noon + longWorkMs - 1)).toBe(step);
  const { inProgressSince: _polled, ...rest } = { inProgressSince: 0, ...step };
  const expected = { ...rest, message: told(step) + since };
  expect(look(step, memory, noon + longWorkMs)).toEqual(expected);
  expect(look(step, memory, noon + 2 * longWorkMs), 'no later look changes the report').toEqual(expected);
});

const work = (message: string) => wait('Creating', message, { inProgressSince: noon });
const unread = keep(wait('CloudUnavailable', 'the cloud fails'));
const half = noon + longWorkMs / 2;

test.each<[sentence: string, between: Step, isLong: boolean, seen?: string]>([
  ['another report of the work is a change', work('it is CONFIGURING'), false],
  ['so is its end', { type: 'done', reason: 'Available', message: '' }, false],
  ['so is what a person must do', stall('CloudError', ''), false],
  ['so is another thing to wait for', wait('WaitingForReference', ''), false],
  [
    'so is a resource at rest, whatever is asked for then',
    call({ type: 'writeRecord', record: {} }, { reason: 'Resizing', message: '' }),
    false,
  ],
  ['what a person must do while it goes on is none', stall('CloudError', ''), true, 'QUEUED'],
  ['another thing to wait for while it goes on is none', wait('WaitingForReference', ''), true, 'QUEUED'],
  ['a look that learns nothing is none', unread, true, 'QUEUED'],
  ['the same report is none', work('it is QUEUED'), true],
])('%s', (_, between, isLong, seen) => {
  const memory = {};
  look(work('it is QUEUED'), memory, noon);
  look(between, memory, half, seen === undefined ? {} : { seen });
  expect(told(look(work('it is QUEUED'), memory, noon + longWorkMs)).includes('since')).toBe(isLong);
});

test.each<[sentence: string, message: string, expected: string]>([
  ['goes on with the time that is told', 'it is QUEUED', 'it is QUEUED' + since],
  ['begins anew where another report is told', 'it is CONFIGURING', 'it is CONFIGURING'],
  ['begins anew where no time is told', 'it is', 'it is'],
])('another process %s', (_, message, expected) => {
  expect(told(look(work(message), {}, noon + longWorkMs, { told: 'it is QUEUED' + since }))).toBe(expected);
});

test('a time ahead does not count', () => {
  const ahead = 'it is QUEUED; seen without a change since 2030-01-01T00:00:00.000Z: look';
  expect(told(look(work('it is QUEUED'), {}, noon, { told: ahead }))).toBe('it is QUEUED');
});
