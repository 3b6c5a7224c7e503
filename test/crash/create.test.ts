import { expect, test } from 'vitest';
import { scale } from '../attack/scale.ts';
import type { World } from '../support/world.ts';
import { entriesOf, untilNoEntries } from '../support/entries-of.ts';
import { peering, replicaSet, service, vpc } from '../support/manifests.ts';
import { until } from '../support/until.ts';
import type { Fence, Plan } from './fence.ts';
import { differences, tellWithEveryHarm, type Story } from './story.ts';

const everyCloudCall = [
  'POST vpcs #1',
  'POST vpcs/*/peerings #1',
  'POST services #1',
  'POST services/*/attachToVPC #1',
  'POST services/*/replicaSets #1',
];

const creation: Story = {
  async told(world) {
    await world.apply(
      vpc('prod', { peerings: [peering] }),
      service('orders', { vpcRef: { name: 'prod' } }),
    );
    await world.untilReady('vpc', 'prod');
    await world.untilReady('service', 'orders');
    // Only now: while the service is being attached, the cloud would refuse a replica set, now and then.
    await world.applyUntilReady(replicaSet('reads', 'orders'));
  },
  async problems(world, { plan, second }) {
    const { project } = world;
    const id = (await world.service('orders'))?.status?.id ?? '';
    const secret = await world.secret('orders-db');
    return differences([
      [
        'what was ever created',
        project.everCreated.map(({ kind }) => kind).toSorted(),
        ['peering', 'replicaSet', 'service', 'vpc'],
      ],
      [
        'the password works',
        secret?.['password'] === project.stores.service.get(id)?.password,
        true,
      ],
      [
        'the replica set has it, too',
        (await world.secret('reads-replicas-db'))?.['password'] === secret?.['password'],
        true,
      ],
      [
        'passwords in the ledger',
        (await entriesOf(world)).flatMap(({ data }) => Object.entries(data)),
        [['password', secret?.['password']]],
      ],
      [
        'passwords that were set anew',
        project.commits.get('updateServicePassword') ?? 0,
        wasPasswordLost(plan, second) ? 1 : 0,
      ],
      ['attachments', project.commits.get('attachServiceToVpc'), 1],
    ]);
  },
};

const manifests = [
  vpc('prod', { peerings: [peering] }),
  service('orders', { vpcRef: { name: 'prod' } }),
  replicaSet('reads', 'orders'),
];

/** In `npm test`, the stories `tool` and `hasty` of test/simulation do the same. The administrator replaces every object, as delivery tools do. The API server decides which parts it accepts. */
async function replaceAll(world: World): Promise<void> {
  for (const manifest of manifests)
    await world.kubectl(['replace', '-f', '-'], JSON.stringify(manifest));
}

/** Only the reply to the create has the first password, until the entry has it. */
function wasPasswordLost(plan: Plan | undefined, second: Fence): boolean {
  if (plan?.harm === 'answerLost') return plan.call === 'POST services #1';
  return (
    second.calls.includes('POST services/*/updatePassword #1') &&
    !second.calls.includes('POST services #1')
  );
}

test(
  'a crash at any call of a creation leaves exactly one of each resource, and the password that the cloud has',
  { timeout: 600_000 },
  async () => {
    const { points, problems } = await tellWithEveryHarm(creation);
    expect(problems).toEqual({});
    expect(points).toEqual(expect.arrayContaining(everyCloudCall));
  },
);

test.runIf(scale.isWhole)(
  'a crash of a creation leaves exactly one of each resource though an administrator replaces every manifest before the restart',
  { timeout: 600_000 },
  async () => {
    const { problems } = await tellWithEveryHarm({ ...creation, meanwhile: replaceAll }, [
      'afterReply',
    ]);
    expect(problems).toEqual({});
  },
);

/** The objects are created and deleted again, the latter at the latest after the death of the first process. */
const brief: Story = {
  async told(world) {
    await world.apply(vpc('prod'), service('orders', { vpcRef: { name: 'prod' } }));
    const isSettled = async () => {
      const object = await world.service('orders');
      return object === undefined || object.status?.state === 'READY';
    };
    await until('the service, or the deletion of its object', isSettled);
    await deleteBrief(world);
    await world.untilGone('service', 'orders');
    await world.untilGone('vpc', 'prod');
    await untilNoEntries(world);
  },
  meanwhile: deleteBrief,
  problems(world) {
    const left = world.project.everCreated.filter(({ deletedAt }) => deletedAt === undefined);
    return Promise.resolve(differences([['what is left in the cloud', left, []]]));
  },
};

async function deleteBrief(world: World): Promise<void> {
  await world.kubectl(['delete', 'msvc/orders', 'mvpc/prod', '--wait=false', '--ignore-not-found']);
}

test.runIf(scale.isWhole)(
  'a crash at any call of a creation leaves nothing behind if the objects are deleted before the restart',
  { timeout: 600_000 },
  async () => {
    const { points, problems } = await tellWithEveryHarm(brief, ['beforeSent', 'afterReply']);
    expect(problems).toEqual({});
    expect(points).toEqual(expect.arrayContaining(['POST vpcs #1', 'POST services #1']));
  },
);
