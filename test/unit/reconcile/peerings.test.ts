import { expect, test } from 'vitest';
import { mayHaveKey } from '../../../src/reconcile/kinds/vpc/peerings.ts';

test.each<[sentence: string, shown: Parameters<typeof mayHaveKey>[0], expected: boolean]>([
  ['at the address', { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'a' }, true],
  ['without any part of its address', {}, true],
  ['without one part', { peer_account_id: '1', peer_vpc_id: 'a' }, true],
  ['of another account', { peer_account_id: '2', peer_region_code: 'eu', peer_vpc_id: 'a' }, false],
  ['of another region', { peer_region_code: 'us' }, false],
  ['of another VPC', { peer_vpc_id: 'b' }, false],
])('a peering %s may be the one that is asked for: %#', (_, shown, expected) => {
  expect(mayHaveKey(shown, '1/eu/a')).toBe(expected);
});

test('a part of the address that is read in more than one way excludes nothing', () => {
  expect(mayHaveKey({ peer_vpc_id: 'b' }, '1/e/u/a')).toBe(true);
});
