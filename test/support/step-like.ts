import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { Step } from '../../src/reconcile/step/step.ts';

/** The expected step of a row: complete, except that `message` is a distinctive part of the real message. */
export interface ExpectedStep {
  readonly type: Step['type'];
  readonly message: string;
  readonly action?: object;
  /** The inner step of a `keep`. */
  readonly delayedReport?: object;
  readonly [part: string]: unknown;
}

/**
 * The comparison for a decided step. The whole step must match, so that a changed time, value or part of the record is noticed. The message must contain that
 * of `expected`. The message of a `keep` is that of its inner step.
 */
export function stepLike({
  message: part,
  type,
  delayedReport,
  action,
  ...expected
}: ExpectedStep): object {
  const message: unknown = expect.stringContaining(part);
  if (type === 'keep') return { type, delayedReport: { ...delayedReport, message } };
  // `carried.test.ts` checks the Secrets.
  const anything: unknown = expect.anything();
  const released = type === 'release' ? { released: anything } : {};
  return {
    type,
    ...released,
    ...expected,
    ...(action === undefined ? {} : { action: actionLike(action) }),
    message,
  };
}

/** Further parts of actions that rows do not repeat. `carried.test.ts` has tables of them. */
const carried: Readonly<Record<string, readonly string[]>> = {
  storeConnection: ['write'],
  dropConnections: ['write'],
  delete: ['operation', 'args', 'record', 'isUnshown'],
  createPeering: ['record'],
  create: ['firstPassword'],
  setPassword: ['write', 'unansweredAt'],
};

/** This action, with any further parts. */
export function actionLike(action: object): object {
  const type = 'type' in action ? String(action.type) : '';
  const besides = carried[type] ?? [];
  const decided = (each: object): unknown =>
    JSON.parse(
      JSON.stringify(
        Object.fromEntries(Object.entries(each).filter(([part]) => !besides.includes(part))),
      ),
    );
  if (besides.length === 0) return action;
  return {
    asymmetricMatch: (actual: unknown) =>
      typeof actual === 'object' &&
      actual !== null &&
      isDeepStrictEqual(decided(actual), decided(action)),
    toString: () => type,
    toAsymmetricMatcher: () => JSON.stringify(action),
  };
}
