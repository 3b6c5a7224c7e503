import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { readyService } from '../../support/ready-service.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** An answer with the id of another resource. test/unit/cloud/reply-id.test.ts has the table of all operations. (docs/safety.md, What an answer is about) */

test('a GET that is answered with another service puts no foreign address into a Secret', { timeout: 60_000 }, async () => {
  await using world = await startWorld({ start: false });
  const turned = { asked: 'none', answered: 'none', times: 0 };
  await world.startOperator({ intercept: turning(turned) });
  turned.answered = await readyService(world, {}, 'other');
  turned.asked = await readyService(world);
  const host = (await world.secret('orders-db'))?.['host'];
  expect(host).toBeDefined();
  world.project.faults.add({ kind: 'truncatedList', operation: 'listServices', drop: 1 });
  await until('a few answers about the other service', () => turned.times > 3);
  expect((await world.secret('orders-db'))?.['host']).toBe(host);
  world.project.faults.clear();
  await world.untilReady('service', 'orders');
});

/** Lets the cloud answer a GET with another service than the one in the path. */
function turning(turned: { readonly asked: string; readonly answered: string; times: number }): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const isAsked = options.method === 'GET' && options.path.endsWith(`/services/${turned.asked}`);
    if (isAsked) turned.times += 1;
    return dispatch(isAsked ? { ...options, path: options.path.replace(turned.asked, turned.answered) } : options, handler);
  };
}
