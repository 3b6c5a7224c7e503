import { expect, test } from 'vitest';
import { CloudError, type CloudErrorDetails } from '../../../../src/cloud/cloud-error.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { memoryAfter } from '../../../../src/reconcile/report/conclude.ts';
import type { Outcome } from '../../../../src/reconcile/step/outcome.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { freshMemory, visitOf } from '../../../support/visit.ts';
import { noon, present, serviceObject, serviceSituation } from '../../../support/situation.ts';

/** Which answers to a change say nothing about the present state of the resource, and which observation ends that. */

const step: Step = { type: 'done', reason: 'Available', message: '' };
const observedBefore = { ...present(), asOf: noon };

/**
 * Reconciles of an object, in order.
 * @returns after each reconcile, the policy time that the next observation must reach
 */
function unclearAfter(
  ...visits: readonly (readonly [Outcome, observedAt: number, answeredAt: number])[]
) {
  let memory = freshMemory();
  return visits.map(([outcome, asOf, answeredAt]) => {
    const situation = serviceSituation({ cloud: { ...observedBefore, asOf } });
    memory = memoryAfter(
      visitOf(serviceKind, situation, step, { outcome, memory, endedAt: answeredAt }),
    );
    return memory.unclearAt;
  });
}

const failed = (details: Omit<CloudErrorDetails, 'operation'>): Outcome => ({
  type: 'failed',
  error: new CloudError({ operation: 'resizeService', ...details }),
  object: serviceObject(),
  change: { operation: 'resizeService', wanted: '2000m/8GB' },
});
const conflict = failed({ kind: 'conflict', status: 409, sent: true, fromApi: true });

test.each<[string, Outcome]>([
  [
    'failed while the cloud may have carried it out',
    failed({ kind: 'server', status: 500, sent: true, fromApi: true }),
  ],
  ['did not come', failed({ kind: 'timeout', sent: true, fromApi: false })],
  ['says that the resource is in another state', conflict],
])('after an answer that %s, only an observation that began later counts', (_, outcome) => {
  expect(unclearAfter([outcome, noon, noon + 3_000])).toEqual([noon + 3_000]);
});

test.each<[string, Outcome]>([
  ['is a clear no', failed({ kind: 'invalid', status: 422, sent: true, fromApi: true })],
  ['cannot come, since nothing was sent', failed({ kind: 'network', sent: false, fromApi: false })],
])('after an answer that %s, the observation before it still counts', (_, outcome) => {
  expect(unclearAfter([outcome, noon, noon + 3_000])).toEqual([undefined]);
});

test('an observation is new enough only if it began after the unclear answer', () => {
  const nothing: Outcome = { type: 'nothing' };
  expect(
    unclearAfter(
      [conflict, noon, noon + 3_000],
      [nothing, noon + 2_999, noon + 4_000],
      [nothing, noon + 3_000, noon + 5_000],
    ),
  ).toEqual([noon + 3_000, noon + 3_000, undefined]);
});
