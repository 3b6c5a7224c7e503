import { expect, test } from 'vitest';
import { commitsOf } from '../../support/cloud-calls.ts';
import { letPass } from '../../support/let-pass.ts';
import { secret, service, vpc } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusing, type Refusal } from '../../support/refusing.ts';
import { recordOf } from '../../support/read-record.ts';
import { until } from '../../support/until.ts';
import { untilTold } from '../../support/until-told.ts';
import { startWorld } from '../../support/world.ts';

/**
 * The operator reports a write that Kubernetes, a webhook or a policy refuses, in its words, and continues
 * when the refusal ends.
 */

/** The patience of 30 s counts from the begin of the visit, before the first refusal. At this speed, a busy machine adds seconds to it, not half a minute. */
const measured = { speed: 10 };

/** A world whose operator meets refusals: `refuse('PATCH secrets/mine', …)` from now on, until `relent`. */
async function worldWithDoor(options: { readonly speed?: number } = {}) {
  const world = await startWorld({ start: false, ...options });
  const refusals = new Map<string, Refusal>();
  const refused: string[] = [];
  let since: number | undefined;
  const intercept = refusing(({ method, path }) => {
    const call = `${method} ${path.replace(/^.*?\/namespaces\/[^/]+\//u, '')}`;
    const refusal = refusals.get(call);
    if (refusal) {
      refused.push(call);
      since ??= world.clock.now();
    }
    return refusal;
  });
  await world.startedOperator({ intercept });
  const refuse = (call: string, refusal: Refusal) => void refusals.set(call, refusal);
  /** Policy time since the first refusal, in milliseconds. */
  const refusesForMs = () => world.clock.now() - (since ?? Number.NaN);
  return { world, door: { refused, refusesForMs, refuse, relent: () => refusals.clear() } };
}

const words = 'admission webhook "gate" denied the request: not on Fridays';

test.concurrent.each([403, 422])(
  'a record that is refused (%i) is shown with the message of the refusal, and nothing is created',
  async (status) => {
    const { world, door } = await worldWithDoor();
    await using _ = world;
    door.refuse('PATCH managedservices/orders', { code: status, message: words });
    await world.apply(service('orders'));
    expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(words);
    expect(
      world.log.some(
        (line) => line.includes('patch managedservices') && line.includes(String(status)),
      ),
    ).toBe(true);
    const at = world.clock.now();
    await letPass(world, 30_000);
    expect(world.project.everCreated).toEqual([]);
    expect(door.refused.length).toBeLessThan(10 + Math.log2((world.clock.now() - at) / 1_000));
    door.relent();
    await world.untilReady('service', 'orders');
    expect(world.project.everCreated.length).toBe(1);
  },
);

test.concurrent.each([401, 403])(
  'a received answer waits for the right to record it (%i)',
  async (code) => {
    const world = await startWorld({ start: false });
    await using _ = world;
    const refused: string[] = [];
    const intercept = refusing(({ method, path }) => {
      const isOurs =
        path.includes('/secrets/managedvpc-') &&
        world.project.everCreated.length > 0 &&
        refused.length < 2;
      if (isOurs) refused.push(method);
      return isOurs ? { code, message: 'no role allows that' } : undefined;
    });
    await world.startedOperator({ intercept });
    await world.applyUntilReady(vpc('prod'));
    expect(refused).toEqual(['PATCH', 'PATCH']);
    expect(world.log.filter((line) => line.includes('could not be recorded'))).toEqual([]);
    expect(world.project.everCreated.length).toBe(1);
  },
);

test.concurrent('a failing webhook is shown with its message after some time, not earlier', async () => {
  const { world, door } = await worldWithDoor(measured);
  await using _ = world;
  const message = 'failed calling webhook "gate": no endpoints available';
  door.refuse('PATCH managedservices/orders', { code: 500, message });
  const begunAt = world.clock.now();
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(message);
  expect(world.clock.now() - begunAt).toBeGreaterThan(3_500);
  expect(door.refusesForMs()).toBeLessThan(60_000);
  door.relent();
  await world.untilReady('service', 'orders');
});

test.concurrent('a write that is outdated (409) each time is shown after some time', async () => {
  const { world, door } = await worldWithDoor(measured);
  await using _ = world;
  door.refuse('PATCH managedservices/orders', { code: 409, message: words });
  const begunAt = world.clock.now();
  await world.apply(service('orders'));
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(words);
  expect(world.clock.now() - begunAt).toBeGreaterThan(3_500);
  expect(door.refusesForMs()).toBeLessThan(60_000);
  expect(door.refused.length).toBeLessThan(12);
  door.relent();
  await world.untilReady('service', 'orders');
  expect(world.project.everCreated.length).toBe(1);
});

test.concurrent('a status that is outdated each time is reported in an event, and retried less and less often', async () => {
  const { world, door } = await worldWithDoor();
  await using _ = world;
  door.refuse('PATCH managedservices/orders/status', { code: 409, message: words });
  await world.apply(service('orders'));
  await untilTold(world, words);
  const tries = door.refused.length;
  await letPass(world, 60_000);
  expect(door.refused.length - tries).toBeLessThan(20);
  door.relent();
  await world.untilReady('service', 'orders');
});

test.concurrent('a finalizer that cannot be removed is shown on the object that it holds', async () => {
  const { world, door } = await worldWithDoor();
  await using _ = world;
  await world.applyUntilReady(vpc('prod'));
  await world.patch('vpc', 'prod', { metadata: { annotations: { x: 'y' } } });
  world.project.faults.add({
    kind: 'errorBefore',
    operation: 'deleteVpc',
    status: 409,
    times: 1,
    body: { message: 'busy' },
  });
  await world.delete('vpc', 'prod');
  await until(
    'the deletion to be begun',
    async () => (await recordOf(world, await world.vpc('prod'))).deletionStarted,
  );
  door.refuse('PATCH managedvpcs/prod', { code: 403, message: words });
  expect(await world.untilReason('vpc', 'prod', 'InternalError')).toContain(words);
  door.relent();
  await world.untilGone('vpc', 'prod');
});

test.concurrent('a credentials Secret that cannot be held is shown, and nothing is created with its key', async () => {
  const { world, door } = await worldWithDoor();
  await using _ = world;
  door.refuse('PATCH secrets/mine', { code: 400, message: words });
  await world.apply(
    secret('mine', { apiKey: world.project.apiKey }),
    service('orders', { credentialsRef: { name: 'mine' } }),
  );
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(words);
  expect(world.project.everCreated).toEqual([]);
  door.relent();
  await world.untilReady('service', 'orders');
});

test.concurrent('a status that is refused is reported in an event and in the log, and no action is repeated because of it', async () => {
  const { world, door } = await worldWithDoor();
  await using _ = world;
  await readyService(world);
  door.refuse('PATCH managedservices/orders/status', { code: 422, message: words });
  await world.apply(service('orders', { cpuMillis: 2000, memoryGbs: 8 }));
  await untilTold(world, words);
  await letPass(world, 60_000);
  expect(commitsOf(world, 'resizeService')).toBe(1);
  expect(
    world.log.some(
      (line) =>
        line.includes('managedservices') && line.includes('/status') && line.includes('422'),
    ),
  ).toBe(true);
  door.relent();
  await world.untilReady('service', 'orders');
});

test.concurrent('a Secret that cannot be deleted with its object is shown on the object', async () => {
  const { world, door } = await worldWithDoor();
  await using _ = world;
  await readyService(world);
  door.refuse('DELETE secrets/orders-db', { code: 403, message: words });
  await world.delete('service', 'orders');
  expect(await world.untilReason('service', 'orders', 'InternalError')).toContain(words);
  door.relent();
  await world.untilGone('service', 'orders');
});

test.concurrent('a credentials Secret that cannot be released is in the log, and released when Kubernetes accepts it', async () => {
  const { world, door } = await worldWithDoor();
  await using _ = world;
  await world.apply(
    secret('mine', { apiKey: world.project.apiKey }),
    vpc('prod', { credentialsRef: { name: 'mine' } }),
  );
  await world.untilReady('vpc', 'prod');
  door.refuse('PATCH secrets/mine', { code: 403, message: words });
  await world.remove('vpc', 'prod');
  await until('the refusal in the log', () =>
    world.log.some((line) => line.includes('patch secrets') && line.includes('403')),
  );
  const finalizers = async () =>
    (await world.kubectl(['get', 'secret', 'mine', '-o', 'jsonpath={.metadata.finalizers}']))
      .stdout;
  expect(await finalizers()).not.toBe('');
  door.relent();
  await until('the release of the Secret', async () => (await finalizers()) === '');
});
