import { expect, test } from 'vitest';
import { CloudError, type CloudErrorKind } from '../../../src/cloud/cloud-error.ts';
import { isGone } from '../../../src/reconcile/act/delete.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { handClock } from '../../support/hand-clock.ts';
import { serviceObject } from '../../support/situation.ts';

/** One DELETE after the other, a minute apart, and what the latest list shows each time. */
function answers(kind: CloudErrorKind, lists: readonly ({ readonly ids: readonly string[]; readonly isOld?: true } | undefined)[]) {
  const context = { memory: memory(), clock: handClock() };
  const error = new CloudError({ operation: 'deleteService', kind, sent: true, fromApi: true });
  const start = context.clock.now();
  return lists.map((list) => {
    context.clock.pass(60_000);
    const begunAt = list?.isOld ? start : context.clock.now() - 10_000;
    const latest = list && { items: new Map(), listed: new Set(list.ids), begunAt, ordinal: 1, missing: new Set<string>() };
    return isGone(error, serviceObject(), 'svc-1', { latest }, context);
  });
}

const shown = { ids: ['svc-1', 'svc-2'] };

test.each([
  ['the first time, whatever lists showed before', 'notFound', [shown], [true]],
  ['as long as no list has been read', 'notFound', [undefined, undefined], [true, true]],
  ['as long as no list began after it', 'notFound', [shown, { ...shown, isOld: true }], [true, true]],
  ['while later lists lack it', 'notFound', [shown, { ids: ['svc-2'] }], [true, true]],
  ['no more when a later list shows it, each time', 'notFound', [shown, shown, shown], [true, false, false]],
  ['never by another error', 'conflict', [undefined, shown], [false, false]],
] as const)('what is not found on DELETE is gone %s', (_, kind, lists, expected) => {
  expect(answers(kind, lists)).toEqual(expected);
});
