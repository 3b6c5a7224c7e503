import { conditionsOf } from '../../src/reconcile/report/status.ts';
import { stall, wait, type Step } from '../../src/reconcile/step/step.ts';
import { reasons, unseenConditions } from '../../src/resources/condition.ts';

/** What a tool should conclude from an object: it waits, it fails, or it continues. */
export type Verdict = 'waits' | 'fails' | 'continues';

type Row = readonly [
  sentence: string,
  step: Step | undefined,
  isServing: boolean,
  verdict: Verdict,
];
const rows: readonly Row[] = [
  ['that no operator has seen', undefined, false, 'waits'],
  ...reasons.reconciling.flatMap((reason): readonly Row[] => [
    [`with reason ${reason}`, wait(reason, 'x'), false, 'waits'],
    [`that serves, with reason ${reason}`, wait(reason, 'x'), true, 'waits'],
  ]),
  ...reasons.stalled.flatMap((reason): readonly Row[] => [
    [`with reason ${reason}`, stall(reason, 'x'), false, 'fails'],
    [`that serves, with reason ${reason}`, stall(reason, 'x'), true, 'fails'],
  ]),
  ...reasons.ready.flatMap((reason): readonly Row[] => [
    [`with reason ${reason}`, { type: 'done', reason, message: 'x' }, true, 'continues'],
    [
      `with reason ${reason} that differs from its spec`,
      { type: 'done', reason, message: 'x', differs: true },
      true,
      'continues',
    ],
  ]),
  ...reasons.held.map((reason): Row => [
    `that serves, with reason ${reason}`,
    { type: 'held', reason, message: 'x' },
    true,
    'continues',
  ]),
  [
    'that somebody stopped, though the spec does not ask for that,',
    { type: 'done', reason: 'Stopped', message: 'x' },
    false,
    'waits',
  ],
];

const serving = { reason: 'Available', message: 'it is available' };

/** An object of each reason, while its database serves and while it does not. */
export const objectsOfReasons: readonly {
  readonly sentence: string;
  readonly object: object;
  readonly verdict: Verdict;
}[] = rows.map(([sentence, step, isServing, verdict], index) => ({
  sentence,
  object: {
    apiVersion: 'managed-db.io/v1alpha1',
    kind: 'ManagedService',
    metadata: { name: `object-${index}`, namespace: 'shop', generation: 1 },
    status: {
      observedGeneration: step ? 1 : 0,
      conditions: step
        ? conditionsOf(step, isServing ? serving : undefined, unseenConditions, {
            observedGeneration: 1,
            now: 0,
          })
        : unseenConditions,
    },
  },
  verdict,
}));
