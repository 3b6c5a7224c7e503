import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { events, startWorld } from '../../support/world.ts';

test('a deletion in a slow cloud sends its DELETE in the first visit: the report that the cloud is slow is no change of the object', async () => {
  await using world = await startWorld({ speed: 1, latencyMs: 10 });
  await world.applyUntilReady(service('slow'));
  // Longer than the four seconds after which the operator reports that the cloud does not answer.
  world.project.faults.add({ kind: 'delayReply', operation: '*', delayMs: 6_000 });
  await world.delete('service', 'slow');
  const said = async () => (await world.service('slow'))?.status?.conditions?.map(({ message }) => message).join() ?? '';
  await until('the report', async () => (await said()).includes('has not answered yet'), said);
  await until('the DELETE', () => callsOf(world, 'deleteService') > 0);
  const { items } = await world.kubernetes.list(events, { namespace: world.namespace });
  expect(items.filter(({ reason }) => reason === 'InternalError')).toEqual([]);
  expect(world.log.filter((line) => line.includes('it has changed'))).toEqual([]);
  world.project.faults.clear();
  await world.untilGone('service', 'slow');
});
