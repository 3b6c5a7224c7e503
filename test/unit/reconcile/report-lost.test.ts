import { expect, test } from 'vitest';
import { reportLost } from '../../../src/reconcile/rules/report-lost.ts';
import { policy } from '../../support/policy.ts';
import { serviceObject, situation } from '../../support/situation.ts';

const lost = { identity: { state: 'known', id: 'x', projectId: 'p', by: 'record' }, cloud: { state: 'absent' } } as const;

test.each([
  ['that is managed can be made again', lost, true],
  ['that its object only observes cannot', { ...lost, object: serviceObject({}, { managementPolicy: 'Observe' }) }, false],
  ['of an operator that only observes cannot', { ...lost, policy: { ...policy, managementPolicy: 'Observe' } }, false],
] as const)('a lost service %s, and the message says no more than that', (_, given, offers) => {
  const step = reportLost(situation(given));
  expect(step?.type).toBe('stall');
  expect(step && 'message' in step && step.message.includes('allow-recreate')).toBe(offers);
});
