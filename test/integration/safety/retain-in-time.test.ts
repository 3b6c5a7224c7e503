import { expect, test } from 'vitest';
import { until } from '../../support/until.ts';
import { callsOf } from '../../support/cloud-calls.ts';
import { heldReply } from '../../support/held-reply.ts';
import { readyService } from '../../support/ready-service.ts';
import { refusingReads } from '../../support/refusing.ts';
import { startWorld } from '../../support/world.ts';

/** Until the cloud has answered the DELETE, a user may still keep the database. (docs/safety.md, Deleting) */

test.concurrent.each([[0], [1]])(
  'Retain that is set before the look after the mark counts, though %i look fails',
  async (failures) => {
    const marking = heldReply(
      ({ body }) => typeof body === 'string' && body.includes('deletionStarted'),
    );
    let left = 0;
    const reads = refusingReads((path) => {
      if (left === 0 || !path.endsWith('/managedservices/orders')) return undefined;
      left -= 1;
      return { code: 500, message: 'etcd is busy' };
    });
    await using world = await startWorld({ start: false });
    await world.startOperator({ intercept: (dispatch) => marking.intercept(reads(dispatch)) });
    const id = await readyService(world);
    await world.delete('service', 'orders');
    await marking.answered;
    await world.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
    left = failures;
    marking.release();
    await world.untilGone('service', 'orders');
    expect(left).toBe(0);
    expect(callsOf(world, 'deleteService')).toBe(0);
    expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeUndefined();
  },
);

test.concurrent('Retain that is set after a DELETE without an answer warns that the service may still be deleted', async () => {
  await using world = await startWorld();
  const id = await readyService(world);
  world.project.faults.add({ kind: 'errorBefore', operation: 'deleteService', status: 500 });
  await world.delete('service', 'orders');
  await until('the DELETE', () => callsOf(world, 'deleteService') > 0);
  await world.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
  const message = await world.untilEvent('orders', 'Retained');
  expect(message).toContain('unless an earlier DELETE is still carried out');
  expect(message).toContain(`${id} in project ${world.project.id}`);
});

test.concurrent('Retain that is set while the cloud is deleting the service releases the object once the service is gone', async () => {
  await using world = await startWorld({ deleteLatencyMs: 60_000 });
  const id = await readyService(world);
  world.project.faults.add({ kind: 'replyLost', operation: 'deleteService', times: 1 });
  await world.delete('service', 'orders');
  await until('the DELETE', () => callsOf(world, 'deleteService') > 0);
  await world.patch('service', 'orders', { spec: { deletionPolicy: 'Retain' } });
  await world.untilGone('service', 'orders');
  expect(world.project.everCreated.find((each) => each.id === id)?.deletedAt).toBeDefined();
  expect(await world.entry('orders')).toBeUndefined();
});
