import { expect, test } from 'vitest';
import { alwaysLeader } from '../../../src/runtime/leader-election.ts';

test('a single replica may always act', () => {
  expect(alwaysLeader.held).toBe(true);
});
