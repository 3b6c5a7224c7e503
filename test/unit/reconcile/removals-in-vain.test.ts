import { expect, test } from 'vitest';
import { afterDelete } from '../../../src/reconcile/act/delete.ts';
import { decideVpc, vpcKind } from '../../../src/reconcile/kinds/vpc/kind.ts';
import { lastOperationOf } from '../../../src/reconcile/observe/observe-object.ts';
import type { RecordedPeering } from '../../../src/reconcile/record/record.ts';
import { memoryAfter } from '../../../src/reconcile/report/memory-after.ts';
import { stepAfterOutcome } from '../../../src/reconcile/report/visit.ts';
import type { Outcome } from '../../../src/reconcile/step/outcome.ts';
import { freshMemory, visitOf } from '../../support/visit.ts';
import { noon } from '../../support/situation.ts';
import { a, b, peering, withPeerings } from './policy/vpc/vpc-with-peerings.ts';

/** DELETEs of peerings that the cloud accepts and does not carry out. (docs/safety.md, Changing) */

const addresses = [a, b, { peerAccountId: '3', peerRegionCode: 'eu', peerVpcId: 'c' }];
const list = { acceptRemoval() {}, denyRemoval() {} };

/** Half an hour of a VPC with so many peerings to be removed, which is visited every ten seconds. @returns the seconds at which each is asked for */
function halfAnHour(count: number): readonly (readonly number[])[] {
  const shown = addresses.slice(0, count).map((address, index) => peering(`p${index}`, address));
  let recorded: Readonly<Record<string, RecordedPeering>> = Object.fromEntries(shown.map(({ id }) => [`3/eu/${id}`, { id }]));
  const asked = shown.map((): number[] => []);
  let memory = freshMemory();
  const { object } = withPeerings({});
  for (let second = 0; second < 1_800; second += 10) {
    const now = noon + second * 1_000;
    const { refusals, removals, accepted } = memory;
    const lastOperation = lastOperationOf(object, accepted, { now, learned: { firstSeen: new Map() } });
    const situation = withPeerings({ now, recorded, shown, list: { asOf: now }, refusals, removals, lastOperation });
    const step = decideVpc(situation);
    let outcome: Outcome = { type: 'nothing' };
    if (step.type === 'call' && step.action.type === 'deletePeering') {
      const { id, inVain, record } = step.action;
      asked[shown.findIndex((each) => each.id === id)]?.push(second);
      recorded = record?.peerings ?? recorded;
      outcome = afterDelete(undefined, object, { operation: 'deletePeering', wanted: id, inVain }, list);
    }
    memory = memoryAfter(visitOf(vpcKind, situation, stepAfterOutcome({ situation, step, outcome }), { outcome, memory }));
  }
  return asked;
}

test('peerings that the cloud does not remove are each asked for as seldom as one alone', { timeout: 60_000 }, () => {
  const [alone = []] = halfAnHour(1);
  expect(alone.length).toBeLessThan(12);
  for (const times of halfAnHour(3)) {
    expect(times.length).toBeGreaterThan(1);
    expect(times.length).toBeLessThanOrEqual(alone.length);
  }
});

test('peerings that are removed at once are each asked for once in the half minute that the cloud has for it', { timeout: 60_000 }, () => {
  expect(halfAnHour(2).map((times) => times.filter((second) => second < 30).length)).toEqual([1, 1]);
});
