import { expect, test } from 'vitest';
import { alwaysLeader } from '../../../src/runtime/leadership.ts';

test('a single replica may always act', () => {
  expect(alwaysLeader.held).toBe(true);
});
