import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

const file = fileURLToPath(new URL('../../../deploy/samples/all.yaml', import.meta.url));

async function allReady(world: World): Promise<void> {
  await world.untilReady('vpc', 'prod');
  await world.untilReady('service', 'orders');
  await world.untilReady('service', 'orders-drill');
  await world.untilReady('replicaSet', 'orders-reads');
}

async function untilEmpty(world: World): Promise<void> {
  await until(
    'an empty cloud',
    () => world.project.everCreated.every(({ deletedAt }) => deletedAt !== undefined),
    () => [world.project.everCreated, world.log.slice(-10)],
  );
}

test(
  'all samples in any order become Ready, and kubectl delete of the same file leaves nothing behind',
  { timeout: 120_000 },
  async () => {
    const documents = (await readFile(file, 'utf8')).split('---\n');
    const orders = fc.sample(fc.shuffledSubarray(documents, { minLength: documents.length }), {
      numRuns: 4,
      seed: 7,
    });
    await Promise.all(
      [documents.toReversed(), ...orders].map(async (order) => {
        await using world = await startWorld();
        const text = order.join('---\n');
        expect(await world.kubectl(['apply', '-f', '-'], text)).toMatchObject({
          code: 0,
          stderr: '',
        });
        await allReady(world);
        expect(world.project.everCreated.map(({ kind }) => kind).toSorted()).toEqual([
          'peering',
          'replicaSet',
          'service',
          'service',
          'vpc',
        ]);
        expect(await world.kubectl(['delete', '--timeout=60s', '-f', '-'], text)).toMatchObject({
          code: 0,
        });
        await untilEmpty(world);
        expect((await world.kubectl(['get', 'secrets', '-o', 'name'])).stdout).toBe('');
      }),
    );
  },
);

test('kubectl delete namespace ends with an empty cloud and no remaining object', async () => {
  await using world = await startWorld();
  await world.kubectl(['apply', '-f', file]);
  await allReady(world);
  const deleted = await world.kubectl(['delete', 'namespace', world.namespace, '--timeout=50s']);
  expect(deleted).toMatchObject({ code: 0 });
  await untilEmpty(world);
});

test('an operator that was down deletes the resources of objects that were deleted meanwhile', async () => {
  await using world = await startWorld();
  await world.kubectl(['apply', '-f', file]);
  await allReady(world);
  await world.stopOperators();
  await world.kubectl(['delete', '--wait=false', '-f', file]);
  await world.startedOperator();
  await untilEmpty(world);
  for (const name of ['orders', 'orders-drill']) await world.untilGone('service', name);
  await world.untilGone('vpc', 'prod');
  expect(world.project.commits.get('deleteService')).toBe(2);
});

test('a restart with Ready objects changes nothing in Kubernetes and in the cloud', async () => {
  await using world = await startWorld();
  await world.kubectl(['apply', '-f', file]);
  await allReady(world);
  await world.stopOperators();
  const versions = async () =>
    (
      await world.kubectl([
        'get',
        'managed-db,secrets',
        '-o',
        'jsonpath={.items[*].metadata.resourceVersion}',
      ])
    ).stdout;
  const before = await versions();
  const commits = JSON.stringify([...world.project.commits]);
  const operator = await world.startedOperator();
  await until(
    'nothing to do',
    () => operator.idle,
    () => world.log.slice(-10),
  );
  expect(await versions()).toBe(before);
  expect(JSON.stringify([...world.project.commits])).toBe(commits);
});
