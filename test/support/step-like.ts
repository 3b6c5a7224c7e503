import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Step } from '../../src/reconcile/step/step.ts';

/** A step as a row expects it: all of it, and of its message the part that matters. */
export interface ExpectedStep {
  readonly type: Step['type'];
  readonly message?: string;
  readonly action?: object;
  /** The step inside one that is kept. */
  readonly told?: object;
  readonly [part: string]: unknown;
}

/**
 * What to compare a decided step with: the whole step, so that a time, a value or a part of the record that changes is seen, and of the message the part
 * in `expected`. The words of a step that is kept are those of the step inside.
 */
export function stepLike({ message: part = '', type, told, action, ...expected }: ExpectedStep): object {
  const message: unknown = expect.stringContaining(part);
  if (type === 'keep') return { type, told: { ...told, message } };
  // What becomes of its Secrets is told in `carried.test.ts`.
  const anything: unknown = expect.anything();
  const released = type === 'release' ? { released: anything } : {};
  return { type, ...released, ...expected, ...(action === undefined ? {} : { action: actionLike(action) }), message };
}

/** What actions carry besides, and rows do not repeat: the tables of `carried.test.ts` have it. */
const carried: Readonly<Record<string, readonly string[]>> = {
  storeConnection: ['secret', 'connection', 'passwordFrom'],
  remakeConnection: ['secret'],
  moveConnection: ['secret', 'connection', 'passwordFrom', 'record'],
  dropConnection: ['record'],
  notePassword: ['secret', 'connection', 'passwordFrom'],
  startDeletion: ['record'],
  delete: ['operation', 'parentId', 'record'],
  createPeering: ['record'],
  create: ['passwordTo'],
  setPassword: ['secret', 'connection', 'replaces', 'record'],
};

/** This very action, whatever it carries besides. */
export function actionLike(action: object): object {
  const type = 'type' in action ? String(action.type) : '';
  const besides = carried[type] ?? [];
  const decided = (each: object): unknown =>
    JSON.parse(JSON.stringify(Object.fromEntries(Object.entries(each).filter(([part]) => !besides.includes(part)))));
  if (besides.length === 0) return action;
  return {
    asymmetricMatch: (actual: unknown) =>
      typeof actual === 'object' && actual !== null && isDeepStrictEqual(decided(actual), decided(action)),
    toString: () => type,
    toAsymmetricMatcher: () => JSON.stringify(action),
  };
}
