import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { conditionsOf } from '../../../../src/reconcile/report/status.ts';
import type { Serving } from '../../../../src/reconcile/kinds/kind.ts';
import { stall, wait, type Step } from '../../../../src/reconcile/step/step.ts';
import { unseenConditions } from '../../../../src/resources/condition.ts';

const at = Date.parse('2026-11-21T09:30:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

const steps = fc.constantFrom<Step>(
  wait('Creating', 'the cloud is creating it'),
  stall('Rejected', 'the cloud refused'),
  { type: 'done', reason: 'Available', message: 'ready' },
  { type: 'suspended', message: 'spec.suspend is true' },
);
const servings = fc.constantFrom<Serving | undefined>(undefined, {
  reason: 'Available',
  message: 'it serves',
});
/** The history of an object: the step of each reconcile, and the time since the reconcile before. */
const lives = fc.array(
  fc.record({ step: steps, serving: servings, laterMs: fc.integer({ min: 1, max: 100_000_000 }) }),
  {
    minLength: 1,
    maxLength: 12,
  },
);

test.each([
  ['that nobody has seen', unseenConditions],
  ['without status', []],
])('an object %s says at its first visit that everything began now', (_of, before) => {
  fc.assert(
    fc.property(steps, (step) => {
      for (const { lastTransitionTime } of conditionsOf(step, undefined, before, {
        observedGeneration: 1,
        now: at,
      }))
        expect(lastTransitionTime).toBe(iso(at));
    }),
  );
});

test('a transition time is when the status word became what it is, through a whole life', () => {
  fc.assert(
    fc.property(lives, (life) => {
      let told = unseenConditions;
      const since = new Map<string, { readonly status: string; readonly at: number }>();
      let now = at;
      for (const { step, serving, laterMs } of life) {
        now += laterMs;
        told = conditionsOf(step, serving, told, { observedGeneration: 1, now });
        const types = told.map(({ type }) => type);
        for (const type of since.keys()) if (!types.includes(type)) since.delete(type);
        for (const { type, status, lastTransitionTime } of told) {
          const known = since.get(type);
          if (known?.status !== status) since.set(type, { status, at: now });
          expect(lastTransitionTime).toBe(iso(since.get(type)?.at ?? 0));
        }
      }
    }),
  );
});

const unknown: Step = { type: 'suspended', message: 'x', differs: 'unknown' };
test.each([
  ['keeps a Synced of its generation', 1, 'False'],
  ['does not know Synced after an edit', 2, 'Unknown'],
])('a suspended object whose resource cannot be read %s', (_, observedGeneration, status) => {
  const before = conditionsOf({ ...unknown, differs: true }, undefined, [], {
    observedGeneration: 1,
    now: at,
  });
  const told = conditionsOf(unknown, undefined, before, { observedGeneration, now: at });
  expect(told.find(({ type }) => type === 'Synced')?.status).toBe(status);
});

test('an object is Synced, or Reconciling or Stalled with the same words; Ready tells whether it serves', () => {
  fc.assert(
    fc.property(steps, steps, servings, (before, step, serving) => {
      const first = conditionsOf(before, serving, unseenConditions, {
        observedGeneration: 1,
        now: at,
      });
      const [ready, ...told] = conditionsOf(step, serving, first, {
        observedGeneration: 2,
        now: at + 1,
      });
      const second =
        step.type === 'wait' ? ['Reconciling'] : step.type === 'stall' ? ['Stalled'] : [];
      expect(told.map(({ type }) => type)).toEqual(['Synced', ...second]);
      expect(
        new Set(
          told.map(
            ({ reason, message, observedGeneration }) =>
              `${reason} ${message} ${observedGeneration}`,
          ),
        ).size,
      ).toBe(1);
      expect(ready).toMatchObject(
        serving ? { ...serving, status: 'True' } : { status: 'False', reason: told[0]?.reason },
      );
    }),
  );
});
