import { expect, test } from 'vitest';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { nextVisit } from '../../../src/reconcile/report/next-visit.ts';
import type { Step } from '../../../src/reconcile/step/step.ts';
import { systemClock } from '../../../src/runtime/index.ts';
import { noon, serviceSituation } from '../../support/situation.ts';

/** The time of the visit after one at which all was as wanted. */

const done = { type: 'done', reason: 'Available', message: 'there' } as const;

test.each<[string, Step, number]>([
  ['after ten minutes', done, 600_000],
  ['earlier, where something ends by itself', { ...done, afterMs: 90_000 }, 90_000],
  ['no later for that', { ...done, afterMs: 900_000 }, 600_000],
])('comes %s', (_, step, afterMs) => {
  const visit = { kind: serviceKind, situation: serviceSituation(), step, outcome: { type: 'nothing' }, work: undefined } as const;
  const context = { memory: memory(), clock: { ...systemClock, now: () => noon }, random: () => 0 };
  expect(nextVisit(visit, context)).toEqual({ afterMs, resync: true });
});
