import { expect, test } from 'vitest';
import { hasFinalizer, isGone, isLetGo, withFinalizer, withoutFinalizer } from '../../../src/runtime/kubernetes-object.ts';

const held = (...finalizers: string[]) => ({ metadata: { uid: 'u1', resourceVersion: '7', finalizers } });
const bare = { metadata: { uid: 'u1', resourceVersion: '7', finalizers: undefined } };

test.each([
  ['an object without any', bare, ['ours']],
  ['an object of somebody else', held('theirs'), ['theirs', 'ours']],
  ['an object that has it', held('ours', 'theirs'), ['ours', 'theirs']],
])('a finalizer is put on %s, for exactly the version that was seen', (_, object, finalizers) => {
  expect(withFinalizer(object, 'ours')).toEqual({ uid: 'u1', resourceVersion: '7', finalizers });
});

test.each([
  ['an object without any', bare, []],
  ['an object of somebody else', held('theirs'), ['theirs']],
  ['an object that has it', held('theirs', 'ours'), ['theirs']],
])('a finalizer is taken off %s, and the others stay', (_, object, finalizers) => {
  expect(withoutFinalizer(object, 'ours')).toEqual({ uid: 'u1', resourceVersion: '7', finalizers });
});

test('an object has a finalizer, or has it not', () => {
  expect([bare, held('theirs'), held('theirs', 'ours')].map((object) => hasFinalizer(object, 'ours'))).toEqual([false, false, true]);
});

test.each([
  ['an object without any that is being deleted', bare, '2026-01-01T00:00:00Z', true],
  ['an object that is being deleted, with one of somebody else', held('theirs'), '2026-01-01T00:00:00Z', false],
  ['an object without any that nobody deletes', held(), undefined, false],
])('%s: gone, or not', (_, { metadata }, deletionTimestamp, expected) => {
  expect(isGone({ metadata: { ...metadata, deletionTimestamp } })).toBe(expected);
});

test.each([
  ['an object that is being deleted, with one of somebody else', held('theirs'), '2026-01-01T00:00:00Z', true],
  ['an object that is being deleted, with ours', held('theirs', 'ours'), '2026-01-01T00:00:00Z', false],
  ['an object without ours that nobody deletes', held('theirs'), undefined, false],
])('%s: let go, or not', (_, { metadata }, deletionTimestamp, expected) => {
  expect(isLetGo({ metadata: { ...metadata, name: 'orders', deletionTimestamp } }, 'ours')).toBe(expected);
});
