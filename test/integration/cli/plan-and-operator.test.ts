import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ObjectPlan } from '../../../src/cli/plan/plan.ts';
import { syncedOf } from '../../../src/resources/condition.ts';
import { kinds, resourceTypes, type ManagedObject } from '../../../src/resources/managed-object.ts';
import { resourceKey } from '../../../src/runtime/index.ts';
import { changed, planned, type Change } from '../../support/planned.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** Each run has its own changes in its own world. `npm run test:attack` makes a hundred runs. */
const runs = Number(process.env['PLAN_RUNS'] ?? 3);
const changesEach = 10;

const sizes = fc.constantFrom(
  { cpuMillis: 1000, memoryGbs: 4 },
  { cpuMillis: 2000, memoryGbs: 8 },
  { cpuMillis: 500, memoryGbs: 2 },
);
const environment = fc.constantFrom(undefined, 'DEV', 'PROD');
const pooler = fc.constantFrom(undefined, { enabled: true }, { enabled: false });
const peering = (number: number) => ({
  peerAccountId: `11${number}`,
  peerRegionCode: 'eu-central-1',
  peerVpcId: `vpc-${number}`,
});

const serviceSpec = fc.record({
  size: sizes,
  environment,
  deletionProtection: fc.constantFrom(undefined, false),
  connectionPooler: pooler,
  powerState: fc.constantFrom(undefined, 'Running', 'Stopped'),
  highAvailability: fc.constantFrom(
    undefined,
    { replicaCount: 0 },
    { replicaCount: 1 },
    { replicaCount: 2, syncReplicaCount: 1 },
  ),
  vpcRef: fc.constantFrom(undefined, { name: 'vpc-a' }, { name: 'vpc-b' }),
  password: fc.constantFrom(
    undefined,
    { rotation: 'first' },
    { rotation: 'second' },
    { secretRef: { name: 'chosen' } },
  ),
  deletionPolicy: fc.constantFrom(undefined, 'Retain'),
  credentialsRef: fc.constantFrom(undefined, { name: 'cloud' }),
});
const vpcSpec = fc.record({
  name: fc.constantFrom('net', 'net-renamed'),
  peerings: fc.subarray([1, 2, 3]).map((numbers) => numbers.map(peering)),
});
const replicaSetSpec = fc.record({
  size: sizes,
  environment,
  deletionProtection: fc.constant(false),
  connectionPooler: pooler,
});

/** The service of the replica set and of the fork always runs: whether they come before it stops is a matter of time. */
const service = fc
  .tuple(fc.constantFrom('orders', 'legacy'), serviceSpec)
  .map(([name, { size, powerState, ...spec }]): Change => {
    const power = name === 'orders' ? {} : { powerState };
    return {
      kind: 'ManagedService',
      name,
      spec: { regionCode: 'eu-central-1', ...size, ...spec, ...power },
    };
  });
const fork = serviceSpec.map(({ size, ...spec }): Change => ({
  kind: 'ManagedService',
  name: 'copy',
  spec: { ...size, ...spec, fork: { serviceRef: { name: 'orders' }, strategy: 'NOW' } },
}));
const vpc = fc.tuple(fc.constantFrom('vpc-a', 'vpc-b'), vpcSpec).map(([name, spec]): Change => ({
  kind: 'ManagedVpc',
  name,
  spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1', ...spec },
}));
const replicaSet = replicaSetSpec.map(({ size, ...spec }): Change => ({
  kind: 'ReplicaSet',
  name: 'reads',
  spec: { serviceRef: { name: 'orders' }, nodes: 1, ...size, ...spec },
}));
const deletion = fc
  .constantFrom(
    ['ManagedService', 'orders'],
    ['ManagedService', 'legacy'],
    ['ManagedService', 'copy'],
    ['ManagedVpc', 'vpc-a'],
    ['ReplicaSet', 'reads'],
  )
  .map(([kind, name]): Change => ({
    kind: kinds.find((each) => each === kind) ?? 'ManagedService',
    name: name ?? '',
    isDeletion: true,
  }));
const change = fc.oneof(
  { arbitrary: service, weight: 5 },
  { arbitrary: vpc, weight: 3 },
  { arbitrary: replicaSet, weight: 2 },
  { arbitrary: fork, weight: 1 },
  { arbitrary: deletion, weight: 2 },
);

const callLine = z.object({ object: z.string(), operation: z.string(), msg: z.string() });

/** The changes that the operator made in the cloud for an object, by its log. */
function changesIn(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => {
    const call = callLine.safeParse(JSON.parse(line)).data;
    const isChange =
      call && call.msg === `cloud call ${call.operation}` && !/^(?:get|list)/u.test(call.operation);
    return isChange ? [`${call.object}: ${call.operation}`] : [];
  });
}

function changesOf(plans: readonly ObjectPlan[], namespace: string): readonly string[] {
  return plans.flatMap(({ kind, name, steps }) =>
    steps.flatMap(({ operation, changesCloud }) =>
      changesCloud ? [`${kind}/${namespace}/${name}: ${operation}`] : [],
    ),
  );
}

async function untilEnd({ kind, name, end, reason }: ObjectPlan, world: World): Promise<void> {
  const key = resourceKey(world.namespace, name);
  const read = () => world.kubernetes.get<ManagedObject>(resourceTypes[kind], key);
  await until(
    `${kind} ${name} to end as planned: ${end} ${reason}`,
    async () => {
      const object = await read();
      if (end === 'gone' || !object) return end === 'gone' && object === undefined;
      const synced = syncedOf(object);
      return (
        synced?.observedGeneration === object.metadata.generation &&
        synced?.reason === reason &&
        (synced?.status === 'True') === (end === 'synced')
      );
    },
    async () => [(await read())?.status, world.log.slice(-8)],
  );
}

test(
  'for random changes of specs, the operator makes the planned changes in the cloud, for each object in the same order',
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(change, { minLength: changesEach, maxLength: changesEach }),
        async (changes) => {
          await using world = await startWorld({
            start: true,
            speed: 200,
            endsRestless: 'a refused deletion waits',
          });
          await world.kubectl([
            'create',
            'secret',
            'generic',
            'cloud',
            `--from-literal=apiKey=${world.project.apiKey}`,
          ]);
          await world.kubectl([
            'create',
            'secret',
            'generic',
            'chosen',
            '--from-literal=password=a-password-of-a-user',
          ]);
          for (const each of changes) {
            const edit = await changed(world, each, true);
            if (!edit) continue;
            const plans = await planned(world, [edit], () => true);
            const begin = world.log.length;
            // An admission policy may refuse a deletion.
            if (!(await changed(world, each, false))) continue;
            for (const one of plans) await untilEnd(one, world);
            const made = changesIn(world.log.slice(begin)).toSorted(byObject);
            expect({ each, made }).toEqual({
              each,
              made: [...changesOf(plans, world.namespace)].toSorted(byObject),
            });
          }
        },
      ),
      { numRuns: runs, endOnFailure: true },
    );
  },
  runs * 60_000,
);

/** By object alone: the sort keeps the order of the changes of each. */
function byObject(a: string, b: string): number {
  const [one = '', other = ''] = [a, b].map((text) => text.split(':')[0]);
  return one < other ? -1 : Number(one > other);
}
