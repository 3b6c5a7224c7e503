import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { perTurn } from '../../src/logging/logging.ts';

function output() {
  const written: string[] = [];
  return { written, ...perTurn((text) => void written.push(text)) };
}

test('the lines of a turn of the event loop are one write, in their order', async () => {
  const { line, written } = output();
  line('first\n');
  await Promise.resolve();
  line('second\n');
  expect(written).toEqual([]);
  await nextTurn();
  expect(written).toEqual(['first\nsecond\n']);
});

test('each turn has its own write, and one without a line has none', async () => {
  const { line, written } = output();
  line('first\n');
  await nextTurn();
  await nextTurn();
  line('second\n');
  await nextTurn();
  expect(written).toEqual(['first\n', 'second\n']);
});

test('where the process ends in mid-turn, its last lines are written at once, and once', async () => {
  const { line, flush, written } = output();
  line('last\n');
  flush();
  expect(written).toEqual(['last\n']);
  await nextTurn();
  expect(written).toEqual(['last\n']);
});
