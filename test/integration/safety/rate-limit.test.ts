import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { readyService } from '../../support/ready-service.ts';
import { startWorld } from '../../support/world.ts';

/** A key that may not call for a while says so on its objects, and holds up nothing that needs no call. */

test('while a key is paused, new objects say so with the end of the pause, nothing is called, and work without calls continues', async () => {
  await using world = await startWorld({ speed: 120, settings: { workers: 2 } });
  await readyService(world, { deletionPolicy: 'Retain' }, 'kept');
  world.project.faults.add({
    kind: 'rateLimit',
    operation: 'createService',
    retryAfterSeconds: 3_600,
    times: 1,
  });
  await world.apply(service('first'));
  await world.untilReason('service', 'first', 'RateLimited');
  // More than there are workers.
  const names = ['a', 'b', 'c', 'd'];
  await world.apply(...names.map((name) => service(name)));
  for (const name of names)
    expect(await world.untilReason('service', name, 'RateLimited')).toMatch(
      /limits how often .* until \d\d:\d\d UTC/u,
    );
  const calls = () => [...world.project.calls.values()].reduce((all, each) => all + each, 0);
  const before = calls();
  await letPass(world, 300_000);
  expect(calls()).toBe(before);
  expect(await world.kubectl(['delete', 'managedservice', 'kept', '--timeout=20s'])).toMatchObject({
    code: 0,
  });
  expect(calls()).toBe(before);
  expect(world.project.everCreated).toHaveLength(1);
});
