import { expect, test } from 'vitest';
import { callsOf } from '../../support/cloud-calls.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { events, startWorld, type World } from '../../support/world.ts';

/** After four seconds without an answer, the operator reports so in the status. This report is no change of the object. */

/** The decisions of this kind in the log. */
const decided = ({ log }: World, step: string) =>
  log.filter((line) => line.includes(`"step":"${step} `)).length;

test(
  'a deletion in a slow cloud is sent in the visit that decided it, and nothing is told of a conflict',
  { timeout: 90_000 },
  async () => {
    await using world = await startWorld({
      speed: 1,
      latencyMs: 10,
      endsRestless: 'the cloud is slow',
    });
    await world.applyUntilReady(service('slow'));
    await world.stopOperators();
    world.log.length = 0;
    world.project.faults.add({ kind: 'delayReply', operation: '*', delayMs: 5_000 });
    await world.delete('service', 'slow');
    await world.startedOperator();
    const said = async () =>
      (await world.service('slow'))?.status?.conditions?.map(({ message }) => message).join() ?? '';
    await until('the report', async () => (await said()).includes('has not answered yet'), said);
    await until('the request', () => callsOf(world, 'deleteService') > 0, said);
    expect(decided(world, 'call delete')).toBe(1);
    const { items } = await world.kubernetes.list(events, { namespace: world.namespace });
    expect(items.filter(({ reason }) => reason === 'InternalError')).toEqual([]);
    world.project.faults.clear();
    await world.untilGone('service', 'slow');
  },
);
