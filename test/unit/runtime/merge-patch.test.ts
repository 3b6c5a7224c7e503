import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergePatchOf } from '../../../src/runtime/status-writer.ts';
import { merged } from '../../support/merged.ts';

type Plain = Record<string, unknown>;

const { object } = fc.letrec<{ object: Plain; value: unknown }>((tie) => ({
  object: fc.dictionary(fc.constantFrom('id', 'state', 'size', 'nodes'), tie('value'), {
    noNullPrototype: true,
  }),
  value: fc.oneof(
    { depthSize: 'small' },
    fc.string({ maxLength: 3 }),
    fc.integer({ min: 0, max: 3 }),
    fc.boolean(),
    fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 2 }),
    tie('object'),
  ),
}));

test('the merge patch of two objects turns the first object into the second', () => {
  fc.assert(
    fc.property(object, object, (from, to) => {
      const patch = mergePatchOf(from, to);
      expect(patch === undefined ? from : merged(from, patch)).toEqual(to);
    }),
  );
});

test('an unchanged value needs no patch', () => {
  fc.assert(
    fc.property(object, (value) => {
      expect(mergePatchOf(value, structuredClone(value))).toBeUndefined();
    }),
  );
});

test('a patch has the changed fields alone; lists are replaced whole', () => {
  const from = { id: 'svc-1', size: { nodes: 2, cpu: 4 }, tags: ['a', 'b'], state: 'READY' };
  const to = { id: 'svc-1', size: { nodes: 3, cpu: 4 }, tags: ['a'] };
  expect(mergePatchOf(from, to)).toEqual({ size: { nodes: 3 }, tags: ['a'], state: null });
});

test('a null, which a merge patch cannot write, is as good as absent', () => {
  expect(mergePatchOf({ size: {} }, { id: null, size: { nodes: null } })).toBeUndefined();
  expect(mergePatchOf({ id: 'svc-1' }, { id: null })).toEqual({ id: null });
});
