import { describe, expect, test } from 'vitest';
import { completePeering, mayHaveAddress } from '../../../../../src/reconcile/kinds/vpc/peerings.ts';
import { peeringId, type Peering } from '../../../../../src/cloud/wire/peering.ts';
import { vpcSituation, type GivenVpc } from '../../../../support/situation-of-others.ts';
import { a, b, peering } from '../../decide/vpc/vpc-with-peerings.ts';

test.each<[sentence: string, shown: Partial<Peering>, expected: boolean]>([
  ['at the address', { peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'a' }, true],
  ['without any part of its address', {}, true],
  ['without one part', { peer_account_id: '1', peer_vpc_id: 'a' }, true],
  ['of another account', { peer_account_id: '2', peer_region_code: 'eu', peer_vpc_id: 'a' }, false],
  ['of another region', { peer_region_code: 'us' }, false],
  ['of another VPC', { peer_vpc_id: 'b' }, false],
])('a peering %s may be the one that is asked for: %#', (_, shown, expected) => {
  expect(mayHaveAddress({ id: peeringId.parse('p1'), ...shown }, a)).toBe(expected);
});

/** The last status showed a peering of this id at `a`. */
const inStatus = (id: string) => ({ status: { peerings: [{ id, ...a, status: 'pending', errorMessage: 'no' }] } });

describe('a peering that a reply shows without a part of its address', () => {
  const parts = ['peer_account_id', 'peer_region_code', 'peer_vpc_id'] as const;
  const whole = peering('p1', a);
  test.each<readonly [sentence: string, given: GivenVpc, isKnown: boolean]>([
    ['is where the last status showed it', inStatus('p1'), true],
    ['may be anywhere if only another is known', inStatus('p2'), false],
    ['may be anywhere if nothing is known of it', {}, false],
  ])('%s', (_, given, isKnown) => {
    for (const part of parts) {
      const seen = { ...whole, [part]: undefined };
      expect(completePeering(seen, vpcSituation(given).object)).toEqual(isKnown ? whole : seen);
    }
  });

  test('and without everything else is completed by its address alone: its state is what the cloud shows now', () => {
    expect(completePeering({ id: whole.id }, vpcSituation(inStatus('p1')).object)).toEqual({ ...whole, status: undefined });
  });

  test('is where the cloud shows it, whatever else is known', () => {
    expect(completePeering(peering('p1', b), vpcSituation(inStatus('p1')).object)).toEqual(peering('p1', b));
  });
});
