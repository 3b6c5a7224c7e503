import { expect, test } from 'vitest';
import { cloudCopy } from '../../../src/cli/copy/cloud-copy.ts';
import { jumpingClock } from '../../../src/cli/copy/jumping-clock.ts';
import { projectId } from '../../../src/cloud/wire/account.ts';
import { peeringId } from '../../../src/cloud/wire/peering.ts';
import { vpcId } from '../../../src/cloud/wire/vpc.ts';

const id = projectId.parse('prj');
const vpcs = ['7', '8'].map((each) => ({
  id: vpcId.parse(each),
  name: 'net',
  cidr: '10.0.0.0/16',
  region_code: 'eu',
}));
const peering = {
  id: peeringId.parse('9'),
  peer_account_id: '1',
  peer_region_code: 'eu',
  peer_vpc_id: 'v',
  status: 'active',
};

/** A project with two VPCs, which have these peerings. */
function copied(peerings: (vpc: string) => readonly (typeof peering)[]) {
  const clock = jumpingClock(0);
  const live = {
    getCredentialsInfo: () => Promise.reject(new Error('not asked')),
    project: () => ({
      listVpcs: () => Promise.resolve(vpcs),
      listServices: () => Promise.resolve([]),
      listReplicaSets: () => Promise.resolve([]),
      listPeerings: (vpc: string) => Promise.resolve([...peerings(vpc)]),
    }),
  };
  const project = cloudCopy({ clock, onRequest: () => undefined, onFailure: () => undefined })
    .open(live)
    .project(id);
  return (vpc: string) => clock.untilDone(project.listPeerings(vpcId.parse(vpc)));
}

test('peerings are those of their VPC alone', async () => {
  const peeringsOf = copied((vpc) => (vpc === '7' ? [peering] : []));
  expect([await peeringsOf('7'), await peeringsOf('8')]).toEqual([[peering], []]);
});

test('two VPCs with peerings of one id end a plan, since the copy could not tell them apart', async () => {
  const peeringsOf = copied(() => [peering]);
  await peeringsOf('7');
  await expect(peeringsOf('8')).rejects.toThrow('project prj has two resources with the id 9');
});

test('time stands still during a read, and jumps while the work only waits', async () => {
  const clock = jumpingClock(1_000);
  const read = clock.during(
    new Promise<number>((resolve) => {
      setTimeout(() => resolve(clock.now()), 5);
    }),
  );
  const waited = clock.sleep(60_000).then(() => clock.now());
  expect(await clock.untilDone(Promise.all([read, waited]))).toEqual([1_000, 61_000]);
});
