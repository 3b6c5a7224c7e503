import { expect, test } from 'vitest';
import { force } from '../../src/simulator/store.ts';
import { annotations } from '../../src/resources/annotations.ts';
import { scale } from '../attack/scale.ts';
import { entriesOf } from '../support/entries-of.ts';
import { loseObject } from '../support/lose-object.ts';
import { service } from '../support/manifests.ts';
import { cloudPassword } from '../support/passwords-of.ts';
import { readyService } from '../support/ready-service.ts';
import { until } from '../support/until.ts';
import type { World } from '../support/world.ts';
import { differences, tellWithEveryHarm, type Story } from './story.ts';

/**
 * The writes that bind an object to a resource, or let the resource go. `npm test` has these stories in test/simulation alone:
 * `retain`, `fork`, `recreate` and `stripped`.
 */

const living = (world: World) =>
  world.project.everCreated.flatMap(({ id, deletedAt }) => (deletedAt === undefined ? [id] : []));

/** The service object and its Secret agree with the cloud. */
async function problemsOf(
  world: World,
  name: string,
  id: string | undefined,
): Promise<readonly string[]> {
  const object = await world.service(name);
  const entry = (await entriesOf(world)).find(
    ({ content }) => content?.object.uid === object?.metadata.uid,
  );
  const password = cloudPassword(world, id ?? '');
  return differences([
    [`the id of ${name}`, [object?.status?.id, entry?.content?.id], [id, id]],
    [
      `the password of ${name}`,
      [(await world.secret(`${name}-db`))?.['password'], entry?.data],
      [password, { password }],
    ],
  ]);
}

const retained: Story = {
  async before(world) {
    await readyService(world, { deletionPolicy: 'Retain' });
  },
  told: (world) => world.remove('service', 'orders'),
  async problems(world) {
    const [id = ''] = living(world);
    const entries = await entriesOf(world);
    const password = cloudPassword(world, id);
    return differences([
      ['services', [world.project.everCreated.length, living(world).length], [1, 1]],
      ['the ledger', entries.map(({ content, data }) => [content?.id, data]), [[id, { password }]]],
      ['the password in the Secret', (await world.secret('orders-db'))?.['password'], password],
    ]);
  },
};

const fork: Story = {
  async before(world) {
    await readyService(world);
  },
  async told(world) {
    await world.applyUntilReady(
      service('drill', { fork: { serviceRef: { name: 'orders' }, strategy: 'NOW' } }),
    );
  },
  async problems(world) {
    const [source, made] = living(world);
    const services = differences([['services', world.project.everCreated.length, 2]]);
    return [
      ...services,
      ...(await problemsOf(world, 'orders', source)),
      ...(await problemsOf(world, 'drill', made)),
    ];
  },
};

const recreated: Story = {
  async before(world) {
    const id = await readyService(world);
    force(world.project, { kind: 'service', id, status: undefined });
    await world.untilReason('service', 'orders', 'Lost');
  },
  async told(world) {
    const lost = (await world.service('orders'))?.status?.id ?? '';
    await world.patch('service', 'orders', {
      metadata: { annotations: { [annotations.allowRecreate]: lost } },
    });
    await until(
      'another id',
      async () => ![undefined, '', lost].includes((await world.service('orders'))?.status?.id),
    );
    await world.untilReady('service', 'orders');
  },
  async problems(world) {
    const services = differences([['services', world.project.everCreated.length, 2]]);
    return [
      ...services,
      ...(await problemsOf(world, 'orders', world.project.everCreated.at(-1)?.id)),
    ];
  },
};

/** An object from a backup has another uid, and the annotation that names the entry of the lost object. */
const restored: Story = {
  async before(world) {
    await readyService(world);
    await loseObject(world);
  },
  async told(world) {
    const [entry] = await entriesOf(world);
    await world.applyUntilReady(
      service('orders', {}, { [annotations.ledger]: entry?.metadata.name ?? '' }),
    );
    await until(
      'the entry of the lost object to go',
      async () => (await entriesOf(world)).length === 1,
    );
  },
  async problems(world) {
    const services = differences([
      ['services', world.project.everCreated.length, 1],
      ['new passwords', world.project.commits.get('updateServicePassword') ?? 0, 0],
    ]);
    return [...services, ...(await problemsOf(world, 'orders', living(world)[0]))];
  },
};

test.runIf(scale.isWhole).each<[string, Story, string]>([
  [
    'a deletion with Retain leaves the service with its password',
    retained,
    'PATCH managedservices/orders #1',
  ],
  ['a fork leaves one fork with a password that works', fork, 'POST services/*/forkService #1'],
  ['a recreation leaves one new service with a password that works', recreated, 'POST services #1'],
  [
    'a restore leaves the service with its password, and one entry',
    restored,
    'DELETE secrets/managedservice-* #1',
  ],
])('a crash at any call of %s', { timeout: 600_000 }, async (_, story, point) => {
  const { points, problems } = await tellWithEveryHarm(story);
  expect(problems).toEqual({});
  expect(points).toContain(point);
});
