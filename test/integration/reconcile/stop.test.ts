import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { readyService } from '../../support/ready-service.ts';
import { startWorld } from '../../support/world.ts';

test('an operator that was stopped sends no more calls to the cloud', async () => {
  await using world = await startWorld({ speed: 600 });
  await readyService(world);
  await world.stopOperators();
  const before = new Map(world.project.calls);
  await letPass(world, 600_000);
  expect(world.project.calls).toEqual(before);
});
