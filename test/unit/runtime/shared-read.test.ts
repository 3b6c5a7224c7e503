import { expect, test } from 'vitest';
import { sharedRead } from '../../../src/runtime/shared-read.ts';

/** Reads that end when the test settles them. */
function reads() {
  const begun: PromiseWithResolvers<string>[] = [];
  const read = sharedRead(() => {
    const one = Promise.withResolvers<string>();
    begun.push(one);
    return one.promise;
  });
  return { begun, read };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('a caller that asks while a read runs shares the next, and gets nothing that was read before', async () => {
  const { begun, read } = reads();
  const first = read();
  await settled();
  const later = [read(), read(), read()];
  await settled();
  expect(begun.length).toBe(1);
  begun[0]?.resolve('old');
  expect(await first).toBe('old');
  await settled();
  expect(begun.length).toBe(2);
  begun[1]?.resolve('new');
  expect(await Promise.all(later)).toEqual(['new', 'new', 'new']);
});

test('a failed read fails exactly the callers that shared the read', async () => {
  const { begun, read } = reads();
  const first = read();
  await settled();
  const second = read();
  begun[0]?.reject(new Error('away'));
  await expect(first).rejects.toThrow('away');
  await settled();
  begun[1]?.resolve('there');
  expect(await second).toBe('there');
});
