import { expect } from 'vitest';
import type { Step } from '../../src/reconcile/step/step.ts';

/** A step as a row expects it: all of it, and of its message the part that matters. */
export interface ExpectedStep {
  readonly type: Step['type'];
  readonly message?: string;
  /** The step inside one that is kept. */
  readonly told?: object;
  readonly [part: string]: unknown;
}

/**
 * What to compare a decided step with: the whole step, so that a time, a value or a part of the record that changes is seen, and of the message the part
 * in `expected`. The words of a step that is kept are those of the step inside.
 */
export function stepLike({ message: part = '', type, told, ...expected }: ExpectedStep): object {
  const message: unknown = expect.stringContaining(part);
  return type === 'keep' ? { type, told: { ...told, message } } : { type, ...expected, message };
}
