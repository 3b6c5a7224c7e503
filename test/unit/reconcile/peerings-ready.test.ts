import { expect, test } from 'vitest';
import { listPoller } from '../../../src/cloud/list-poller.ts';
import { peeringId } from '../../../src/cloud/wire/ids.ts';
import { following } from '../../../src/reconcile/following.ts';
import { workAfter } from '../../../src/reconcile/next-visit.ts';
import { userOf } from '../../../src/reconcile/user.ts';
import { peeringsReady } from '../../../src/reconcile/vpc/rules/peerings-ready.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import { keyOf } from '../../../src/runtime/index.ts';
import { handClock } from '../../support/hand-clock.ts';

const object = managedVpcs.parse({
  apiVersion: 'managed-db.io/v1alpha1',
  kind: 'ManagedVpc',
  metadata: { name: 'prod', namespace: 'shop', uid: 'u', resourceVersion: '1' },
  spec: {
    cidr: '10.0.0.0/16',
    regionCode: 'eu-central-1',
    peerings: [{ peerAccountId: '1', peerRegionCode: 'eu', peerVpcId: 'v' }],
  },
});
const peering = { id: peeringId.parse('p1'), status: 'pending', peer_account_id: '1', peer_region_code: 'eu', peer_vpc_id: 'v' };
const hourMs = 3_600_000;

test('a peering that waits for a person is looked at often for some minutes, and then once a minute', async () => {
  const clock = handClock();
  const begunAt = clock.now();
  let lists = 0;
  const list = listPoller({
    operation: 'listPeerings',
    list: () => {
      lists += 1;
      return Promise.resolve([peering]);
    },
    idOf: ({ id }) => id,
    clock,
    random: () => 0,
  });
  const followed = following(() => undefined);
  const user = userOf('ManagedVpc', keyOf(object));
  followed.follow(user, [{ list, ids: 'all' }]);
  const spendAnHour = async () => {
    const before = lists;
    for (let ms = 0; ms < hourMs; ms += 30_000) {
      const now = clock.now();
      const peerings = { state: 'read', peerings: [peering], isConclusive: true, asOf: now, since: begunAt } as const;
      const step = peeringsReady({ object, record: {}, now, peerings });
      expect(step).toMatchObject({ type: 'wait', reason: 'PeeringPending' });
      const work = step && workAfter(step, list, { state: 'known', id: 'vpc', projectId: undefined, by: 'record' });
      if (work !== 'asBefore') followed.atWork(user, work);
      await clock.advance(30_000);
    }
    return lists - before;
  };
  expect(await spendAnHour()).toBeLessThan(110);
  expect(await spendAnHour()).toBeLessThanOrEqual(60);
});
