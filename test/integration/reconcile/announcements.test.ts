import { expect, test } from 'vitest';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld, type World } from '../../support/world.ts';

/** The reports about an object in the log, with their levels. The facts of a visit contain the status, and are no report. */
function told(world: World, reason: string): readonly string[] {
  return world.log
    .filter((line) => line.includes(`"reason":"${reason}"`) && !line.includes('"msg":"decided"'))
    .map((line) => line.replace(/^\{"level":"(\w+)".*$/su, '$1'));
}

test('a stalled object is a warning in the log; a condition that passes by itself is not', async () => {
  await using world = await startWorld();
  world.project.faults.add({ kind: 'errorBefore', operation: 'createService', status: 422 });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'Rejected');
  await until('the refusal in the log', () => told(world, 'Rejected').length > 0);
  expect(new Set(told(world, 'Rejected'))).toEqual(new Set(['warn']));
  world.project.faults.clear();
  await world.applyUntilReady(service('carts'));
  // The log has a transition when the status has it already.
  await until('the end in the log', () => told(world, 'Available').length > 0);
  expect(new Set([...told(world, 'Creating'), ...told(world, 'Available')])).toEqual(
    new Set(['info']),
  );
});
