import { expect, test } from 'vitest';
import {
  peeringPlan,
  type KnownPeerings,
} from '../../../../../src/reconcile/kinds/vpc/peering-plan.ts';
import { a, b, peering, unanswered } from './vpc-with-peerings.ts';

/** What is left to do about a peering, by spec, ledger and cloud. (docs/safety.md, Peerings and Changing) */

const [key, other] = ['1/eu/a', '2/eu/b'];
const made = { peerings: { [key]: { id: 'p1' } } };
const requested = { peerings: { [key]: unanswered } };
const shown = [peering('p1', a)];
const request = { do: 'request', key, address: a };
const awaitAnswer = { do: 'awaitAnswer', key, address: a };
const remove = { do: 'remove', key, id: 'p1' };
const forgetPeering = { do: 'forgetPeering', key };
const forgetRequest = { do: 'forgetRequest', key };

test.each<[sentence: string, known: Partial<KnownPeerings>, plan: readonly object[]]>([
  ['No peering: nothing is left to do', {}, []],
  ['A wanted peering that nothing knows is requested', { wanted: [a] }, [request]],
  ['A wanted peering that the object made is as wanted', { wanted: [a], record: made, shown }, []],
  ['A wanted peering of another creator is as wanted', { wanted: [a], shown }, []],
  [
    'A wanted peering that failed is there, so it is not requested again',
    { wanted: [a], shown: [peering('p1', a, { status: 'failed' })] },
    [],
  ],
  [
    'A wanted peering that was made and is gone leaves the record before it is requested again',
    { wanted: [a], record: made },
    [forgetPeering],
  ],
  [
    'A wanted peering whose request may still show its result is awaited',
    { wanted: [a], record: requested, open: [key] },
    [awaitAnswer],
  ],
  [
    'A wanted peering whose request is over is requested again',
    { wanted: [a], record: requested },
    [request],
  ],
  [
    'A wanted peering whose request has shown its result is as wanted',
    { wanted: [a], record: requested, shown, open: [key] },
    [],
  ],
  ['An unwanted peering that the object made is removed', { record: made, shown }, [remove]],
  ['An unwanted peering of another creator stays', { shown }, []],
  ['An unwanted peering that is gone leaves the record', { record: made }, [forgetPeering]],
  [
    'An unwanted request that may still show its result stays in the record',
    { record: requested, open: [key] },
    [],
  ],
  ['An unwanted request that is over leaves the record', { record: requested }, [forgetRequest]],
  [
    'Recorded peerings come before the peerings of the spec',
    { wanted: [b, a], record: made, shown: [peering('p9', a)] },
    [forgetPeering, { do: 'request', key: other, address: b }],
  ],
])('%s', (_, known, plan) => {
  expect(peeringPlan({ wanted: [], record: {}, shown: [], open: [], ...known })).toEqual(plan);
});

test.each([{ peer_account_id: '9' }, { peer_region_code: 'us' }, { peer_vpc_id: 'z' }])(
  'a peering with %j is not the wanted peering',
  (elsewhere) => {
    const others = [peering('p1', a, elsewhere)];
    expect(peeringPlan({ wanted: [a], record: {}, shown: others, open: [] })).toEqual([request]);
  },
);
