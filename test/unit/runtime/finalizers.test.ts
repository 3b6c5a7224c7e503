import { expect, test } from 'vitest';
import {
  hasFinalizer,
  isGone,
  isLetGo,
  withFinalizer,
  withoutFinalizer,
} from '../../../src/runtime/kubernetes-object.ts';

const held = (...finalizers: string[]) => ({
  metadata: { uid: 'u1', resourceVersion: '7', finalizers },
});
const bare = { metadata: { uid: 'u1', resourceVersion: '7', finalizers: undefined } };

test.each([
  ['an object without any', bare, ['ours']],
  ['an object with only a foreign finalizer', held('theirs'), ['theirs', 'ours']],
  ['an object that has it', held('ours', 'theirs'), ['ours', 'theirs']],
])(
  'adding our finalizer to %s requires exactly the version that was seen',
  (_, object, finalizers) => {
    expect(withFinalizer(object, 'ours')).toEqual({ uid: 'u1', resourceVersion: '7', finalizers });
  },
);

test.each([
  ['an object without any', bare, []],
  ['an object with only a foreign finalizer', held('theirs'), ['theirs']],
  ['an object that has it', held('theirs', 'ours'), ['theirs']],
])('removing our finalizer from %s keeps all foreign finalizers', (_, object, finalizers) => {
  expect(withoutFinalizer(object, 'ours')).toEqual({ uid: 'u1', resourceVersion: '7', finalizers });
});

test('an object has a finalizer, or has it not', () => {
  expect(
    [bare, held('theirs'), held('theirs', 'ours')].map((object) => hasFinalizer(object, 'ours')),
  ).toEqual([false, false, true]);
});

test.each([
  ['a deleted object without finalizers', bare, '2026-01-01T00:00:00Z', true],
  ['a deleted object with only a foreign finalizer', held('theirs'), '2026-01-01T00:00:00Z', false],
  ['an object without finalizers that is not deleted', held(), undefined, false],
])(
  'only a deleted object without finalizers counts as gone: %s',
  (_, { metadata }, deletionTimestamp, expected) => {
    expect(isGone({ metadata: { ...metadata, deletionTimestamp } })).toBe(expected);
  },
);

test.each([
  ['a deleted object with only a foreign finalizer', held('theirs'), '2026-01-01T00:00:00Z', true],
  ['a deleted object with our finalizer', held('theirs', 'ours'), '2026-01-01T00:00:00Z', false],
  ['an object without our finalizer that is not deleted', held('theirs'), undefined, false],
])(
  'only a deleted object without our finalizer counts as released: %s',
  (_, { metadata }, deletionTimestamp, expected) => {
    expect(isLetGo({ metadata: { ...metadata, name: 'orders', deletionTimestamp } }, 'ours')).toBe(
      expected,
    );
  },
);
