import { expect, test } from 'vitest';
import { altering, type TakenAway } from '../../support/altering.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { peering, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { agreed } from '../../support/passwords-of.ts';
import { ledgerNamespace, startWorld, type World } from '../../support/world.ts';

/** A write counts when its reply shows it: a mutating webhook may take a part of it away, and Kubernetes answers with success. (docs/safety.md) */

type Judge = Parameters<typeof altering>[0];

/** A world whose operator meets a webhook that takes parts away, until `relent`. */
async function worldWithWebhook(
  judge: Judge,
): Promise<{ world: World; relent: () => void; restart: () => Promise<void> }> {
  const world = await startWorld({ start: false });
  const webhook = { judge };
  const start = async () => {
    await world.startedOperator({ intercept: altering((write) => webhook.judge(write)) });
  };
  await start();
  return {
    world,
    relent: () => void (webhook.judge = () => []),
    async restart() {
      await world.stopOperators();
      await start();
    },
  };
}

const made = (world: World) => world.project.everCreated.map(({ kind }) => kind);

test.each<[TakenAway, string]>([
  [
    'pointer',
    'the annotation managed-db.io/ledger is not kept as written: a mutating webhook or policy changes it',
  ],
  ['finalizer', 'is not kept as written: a mutating webhook or policy changes it'],
])('nothing is created while the %s of its create is not kept', async (part, words) => {
  const { world, relent } = await worldWithWebhook(() => [part]);
  await using _ = world;
  await world.apply(vpc('prod'));
  expect(await world.untilReason('vpc', 'prod', 'InternalError')).toContain(words);
  expect(callsOf(world, 'createVpc')).toBe(0);
  relent();
  await world.untilReady('vpc', 'prod');
  expect(made(world)).toEqual(['vpc']);
});

test('no peering is asked for while that is not kept', async () => {
  const { world, relent } = await worldWithWebhook(({ body }) =>
    body.includes('pendingSince') ? ['entry'] : [],
  );
  await using _ = world;
  await world.applyUntilReady(vpc('prod'));
  await world.apply(vpc('prod', { peerings: [peering] }));
  expect(await world.untilReason('vpc', 'prod', 'InternalError')).toContain(
    'a mutating webhook or policy changes it',
  );
  expect(callsOf(world, 'createPeering')).toBe(0);
  relent();
  await world.untilReady('vpc', 'prod');
  expect(callsOf(world, 'createPeering')).toBe(1);
});

test.each([
  ['the connection Secret', 'SecretConflict', (path: string) => !path.includes(ledgerNamespace)],
  ['the ledger', 'InternalError', (path: string) => path.includes(ledgerNamespace)],
] as const)(
  'no password is sent while a webhook removes the password from %s',
  async (_place, reason, isIts) => {
    const closed = { is: false };
    const { world, relent } = await worldWithWebhook(({ path }) =>
      closed.is && path.includes('/secrets') && isIts(path) ? ['password'] : [],
    );
    await using _ = world;
    const id = await readyService(world, { password: { rotation: 'one' } });
    closed.is = true;
    await world.apply(service('orders', { password: { rotation: 'two' } }));
    expect(await world.untilReason('service', 'orders', reason)).toContain(
      'is not kept as written',
    );
    expect(callsOf(world, 'updateServicePassword')).toBe(0);
    relent();
    await world.untilReady('service', 'orders');
    await agreed(world, id);
    expect(callsOf(world, 'updateServicePassword')).toBe(1);
  },
);

test('a service is not created while a webhook removes the content of its ledger entry', async () => {
  const { world, relent } = await worldWithWebhook(({ path }) =>
    path.includes(ledgerNamespace) ? ['entry'] : [],
  );
  await using _ = world;
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(
    'is not kept as written',
  );
  expect(callsOf(world, 'createService')).toBe(0);
  relent();
  await world.untilReady('service', 'orders');
  await agreed(world, (await world.service('orders'))?.status?.id ?? '');
});
