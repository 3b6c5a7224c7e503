import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { linesOf } from '../../../src/runtime/watch.ts';

async function* cutInto(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let start = 0;
  for (const size of sizes) {
    yield bytes.subarray(start, start + size);
    start += size;
  }
  yield bytes.subarray(start);
}

async function linesIn(stream: AsyncIterable<Uint8Array>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of linesOf(stream)) lines.push(line);
  return lines;
}

test('the lines of a stream do not depend on where the stream is cut, even inside a letter', async () => {
  const line = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter((text) => !text.includes('\n') && !text.includes('\uFEFF'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(line),
      fc.array(fc.integer({ min: 0, max: 6 })),
      async (lines, sizes) => {
        const bytes = new TextEncoder().encode(lines.map((text) => `${text}\n`).join(''));
        expect(await linesIn(cutInto(bytes, sizes))).toEqual(lines);
      },
    ),
  );
});

test('an unfinished last line and empty lines are dropped', async () => {
  const bytes = new TextEncoder().encode('one\n\ntwo\n{"type":"ADD');
  expect(await linesIn(cutInto(bytes, [2, 7]))).toEqual(['one', 'two']);
});

function workForAMillisecond(): void {
  const end = performance.now() + 1;
  while (performance.now() < end);
}

test('other work has its turns between the lines of a long chunk: the lease is renewed, and a probe is answered', async () => {
  let seen = 0;
  let seenAtTimer = -1;
  setTimeout(() => (seenAtTimer = seen), 1);
  for await (const _ of linesOf(cutInto(Buffer.from('{}\n'.repeat(1_000)), []))) {
    workForAMillisecond();
    seen += 1;
  }
  expect(seen).toBe(1_000);
  expect(seenAtTimer).toBeGreaterThanOrEqual(0);
  expect(seenAtTimer).toBeLessThan(100);
});
