import { expect, test } from 'vitest';
import { peeringId } from '../../../../src/cloud/wire/peering.ts';
import { vpcId } from '../../../../src/cloud/wire/vpc.ts';
import { progressToWatch } from '../../../../src/reconcile/report/visit.ts';
import { keep, stall, wait, type Step } from '../../../../src/reconcile/step/step.ts';

/** Which steps have the cloud's work polled for, and which end that. */

const known = { record: { id: '1' } };
const deletePeering = {
  type: 'deletePeering',
  vpcId: vpcId.parse('vpc-1'),
  id: peeringId.parse('peering-1'),
} as const;
const atWork = wait('Creating', 'the cloud is at work', { inProgressSince: 5 });

test('work goes on while the cloud is at work', () => {
  expect(progressToWatch(atWork, known)).toEqual({ id: '1', since: 5 });
});

test.each<[string, Step]>([
  ['nothing was learned', keep(atWork)],
  [
    'something is called',
    {
      type: 'call',
      action: deletePeering,
      reason: 'Deleting',
      message: '',
    },
  ],
  [
    'something is written',
    { type: 'write', action: { type: 'holdCredentials', secret: 'key' }, message: '' },
  ],
])('work is as before when %s', (_, step) => {
  expect(progressToWatch(step, known)).toBe('asBefore');
});

test.each<[string, Step]>([
  ['all is as wanted', { type: 'done', reason: 'Available', message: '' }],
  ['only a person can help', stall('Lost', '')],
  ['the object waits for something else', wait('WaitingForReference', '')],
  ['it is suspended', { type: 'suspended', message: '' }],
  [
    'the object may go',
    {
      type: 'release',
      message: '',
      released: { id: undefined, projectId: undefined, fate: 'retained' },
    },
  ],
])('work is over when %s', (_, step) => {
  expect(progressToWatch(step, known)).toBeUndefined();
});

test('an unknown resource is not polled as work in progress', () => {
  expect(progressToWatch(atWork, { record: {} })).toBeUndefined();
});
