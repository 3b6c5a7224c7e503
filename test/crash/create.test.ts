import { expect, test } from 'vitest';
import { peering, replicaSet, service, vpc } from '../support/manifests.ts';
import { startWorld, type World } from '../support/world.ts';
import { fence, isCloudCall, type Fence, type Harm, type Plan } from './fence.ts';

/**
 * The story: a VPC with a peering, a service in it with its Secret, a replica set. It is told once without harm, and then with a crash at each call that
 * changes something, before it is sent, when the reply is lost, and after the reply.
 */
const plansAtOnce = 12;
const deaths: readonly Harm[] = ['beforeSent', 'replyLost', 'afterReply'];

test(
  'a crash at any call of a creation leaves exactly one of everything, and the password that the cloud has',
  { timeout: 300_000 },
  async () => {
    const reference = await tell(undefined);
    expect(reference.problems).toEqual([]);
    const points = reference.calls.filter((call) => !call.includes('/status ') || call.endsWith('/status #1'));
    expect(points).toEqual(expect.arrayContaining(everyCloudCall));
    const plans = points.flatMap((call): Plan[] => [
      ...deaths.map((harm) => ({ call, harm })),
      ...(isCloudCall(call) ? [{ call, harm: 'answerLost' } as const] : []),
    ]);
    const problems: Record<string, readonly string[]> = {};
    await inParallel(plans, plansAtOnce, async (plan) => {
      const told = await tell(plan);
      if (told.problems.length > 0) problems[`${plan.call}, ${plan.harm}`] = told.problems;
    });
    expect(problems).toEqual({});
  },
);

const everyCloudCall = [
  'POST vpcs #1',
  'POST vpcs/*/peerings #1',
  'POST services #1',
  'POST services/*/attachToVPC #1',
  'POST services/*/replicaSets #1',
];

interface Told {
  readonly calls: readonly string[];
  readonly problems: readonly string[];
}

async function tell(plan: Plan | undefined): Promise<Told> {
  await using world = await startWorld({ start: false });
  const first = fence(plan);
  const second = fence();
  try {
    const operator = await world.startOperator({ intercept: first.intercept, isDead: () => first.isDead });
    await operator.started;
    void first.died.then(() => world.startOperator({ intercept: second.intercept }));
    await world.apply(vpc('prod', { peerings: [peering] }), service('orders', { vpcRef: { name: 'prod' } }));
    await world.untilReady('vpc', 'prod');
    await world.untilReady('service', 'orders');
    // Only now: while the service is being attached, the cloud would refuse a replica set, now and then.
    await world.apply(replicaSet('reads', 'orders'));
    await world.untilReady('replicaSet', 'reads');
    return { calls: first.calls, problems: await problemsOf(world, plan, first, second) };
  } catch (error) {
    return { calls: first.calls, problems: [String(error)] };
  }
}

/** What is wrong at the end of a story. Effects are counted, not calls. */
async function problemsOf(world: World, plan: Plan | undefined, first: Fence, second: Fence): Promise<readonly string[]> {
  const { project } = world;
  const problems: string[] = [];
  const expectEqual = (what: string, seen: unknown, wanted: unknown) => {
    if (JSON.stringify(seen) !== JSON.stringify(wanted)) problems.push(`${what} is ${JSON.stringify(seen)}, not ${JSON.stringify(wanted)}`);
  };
  expectEqual('what was ever created', project.everCreated.map(({ kind }) => kind).toSorted(), ['peering', 'replicaSet', 'service', 'vpc']);
  const id = (await world.service('orders'))?.status?.id ?? '';
  const secret = await world.secret('orders-db');
  expectEqual('the password works', secret?.['password'] === project.services.get(id)?.password, true);
  expectEqual('the replica set has it, too', (await world.secret('reads-replicas-db'))?.['password'] === secret?.['password'], true);
  expectEqual('the pending password', await world.secret('orders-db-pending'), undefined);
  expectEqual('passwords that were set anew', project.commits.get('updateServicePassword') ?? 0, wasPasswordLost(plan, second) ? 1 : 0);
  expectEqual('attachments', project.commits.get('attachServiceToVpc'), 1);
  if (plan && !first.isHarmed) problems.push('the call was never made');
  return problems;
}

/** The one copy of a first password is in the reply to the create, until the Secret has it. */
function wasPasswordLost(plan: Plan | undefined, second: Fence): boolean {
  if (plan?.harm === 'answerLost') return plan.call === 'POST services #1';
  return second.calls.includes('POST secrets/orders-db #1') && !second.calls.includes('POST services #1');
}

async function inParallel<T>(items: readonly T[], atOnce: number, work: (item: T) => Promise<void>): Promise<void> {
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}
