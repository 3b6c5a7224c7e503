import { expect } from 'vitest';
import type { Step } from '../../src/reconcile/step/step.ts';

/** The names and ids of tests are short. In their place: names of 20 characters, ids of 10. */
function withOrdinaryNames(message: string): string {
  return message
    .replaceAll(/\b(?:svc|rs|vpc|prj)-\d\b|\bprj\d\b/gu, 'k2m9q1zx4w')
    .replaceAll(
      /\b(?:orders|reads|shop)\b|(?<=managedvpcs |ManagedVpc |")prod\b/gu,
      'orders-of-the-shop-1',
    );
}

/** Expects a message of at most 200 characters, also in the report of a visit that learned nothing. */
export function expectShort(step: Step | undefined): void {
  const message = step?.type === 'keep' ? step.delayedReport.message : (step?.message ?? '');
  const long = withOrdinaryNames(message);
  expect(long.length, `${long.length} characters: ${long}`).toBeLessThanOrEqual(200);
}
