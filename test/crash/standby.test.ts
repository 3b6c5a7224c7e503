import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { service } from '../support/manifests.ts';
import { recordOf } from '../support/read-record.ts';
import { until } from '../support/until.ts';
import { startWorld } from '../support/world.ts';
import {
  allowLease,
  lease,
  leaseIn,
  speed,
  startReplica,
  untilTaken,
  type Replica,
} from './replica.ts';

const metric = async ({ health }: Replica) => {
  const text = await (await fetch(`${health}/metrics`)).text();
  return /leader_election_master_status\{name="operator"\} (\d)/u.exec(text)?.[1];
};
const writes = ({ kubernetes }: Replica) =>
  kubernetes.requests.filter(({ method }) => method !== 'GET');

test('a standby replica is ready, calls no cloud and writes nothing; after a release it takes the lease long before its end', async () => {
  await using world = await startWorld({ start: false, speed });
  await allowLease(world);
  await using first = await startReplica(world);
  await first.untilWorking();
  await using second = await startReplica(world);
  await second.untilStandingBy();
  await world.applyUntilReady(service('orders'));
  await pause(lease.durationMs);
  expect((await fetch(`${second.health}/readyz`)).status).toBe(200);
  expect([await metric(first), await metric(second)]).toEqual(['1', '0']);
  expect(second.cloud.requests).toEqual([]);
  expect(writes(second)).toEqual([]);

  const { holder = '' } = await leaseIn(world);
  first.process.kill('SIGTERM');
  const taken = untilTaken(world, holder).then(() => performance.now());
  expect(await first.process.ended).toBe(0);
  const endedAt = performance.now();
  const tookMs = (await taken) - endedAt;
  process.stdout.write(`taken ${Math.round(tookMs)} ms after the other one had ended\n`);
  expect(tookMs).toBeLessThan(lease.deadlineMs); // a lease that is not given back lasts longer
  await second.untilWorking();
  await world.applyUntilReady(service('users'));
  expect(await metric(second)).toBe('1');
  expect(second.cloudChanges()).toHaveLength(1);
});

test('a hanging process whose lease has run out is not alive', async () => {
  await using world = await startWorld({ start: false, speed });
  await allowLease(world);
  await using only = await startReplica(world);
  await only.untilWorking();
  expect((await fetch(`${only.health}/healthz`)).status).toBe(200);
  const held = only.cloud.hold('reply', ({ method }) => method === 'POST');
  await world.apply(service('orders'));
  await held.reached;
  await only.kubernetes.cut();
  await until('it to say so', async () => {
    const answer = await fetch(`${only.health}/healthz`);
    return (
      answer.status === 500 &&
      (await answer.text()) === 'the lease has run out, and this process is still there\n'
    );
  });
  held.release();
  await only.kubernetes.mend();
  expect(await only.process.ended).toBe(1);
  expect((await recordOf(world, await world.service('orders'))).id).toBe(
    world.project.everCreated[0]?.id,
  );
});
