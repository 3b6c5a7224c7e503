import type { Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { letPass } from '../../support/let-pass.ts';
import { service } from '../../support/manifests.ts';
import { until } from '../../support/until.ts';
import { startWorld } from '../../support/world.ts';

/** A list that lags or is cut short is no proof that a create came to nothing: another has to agree. (SAFETY, Creating exactly once) */

/** Answers a list of services with nothing in it. */
function empty(handler: Dispatcher.DispatchHandler): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (controller, context) => handler.onRequestStart?.(controller, context),
    onResponseStart(controller, status, { 'content-length': _length, ...headers }, message) {
      handler.onResponseStart?.(controller, status, headers, message);
    },
    onResponseData: () => undefined,
    onResponseEnd(controller, trailers) {
      handler.onResponseData?.(controller, Buffer.from('[]'));
      handler.onResponseEnd?.(controller, trailers);
    },
    onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
  };
}

test('of two lists, one of which shows what an unanswered create has made, the empty one is not believed', async () => {
  await using world = await startWorld({ start: false });
  const { clock, project } = world;
  /** A list that comes soon after another tells the truth; in the beginning none does. */
  const soonMs = 20_000;
  const lists = { hiddenUntil: Number.POSITIVE_INFINITY, lastAt: Number.NEGATIVE_INFINITY, liesAgain: true };
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    if (options.method !== 'GET' || !options.path.endsWith('/services')) return dispatch(options, handler);
    const isFirst = clock.now() - lists.lastAt > soonMs;
    lists.lastAt = clock.now();
    const isHidden = lists.liesAgain && (clock.now() < lists.hiddenUntil || isFirst);
    return dispatch(options, isHidden ? empty(handler) : handler);
  };
  await (
    await world.startOperator({ intercept })
  ).started;
  project.faults.add({ kind: 'replyLost', operation: 'createService', times: 1 });
  await world.apply(service('orders'));
  await world.untilReason('service', 'orders', 'ResolvingCreate');
  lists.hiddenUntil = clock.now() + 60_000;
  await until('the attempt to be closed', () => clock.now() > lists.hiddenUntil + 75_000);
  lists.liesAgain = false;
  await world.untilReady('service', 'orders');
  await letPass(world, 10_000);
  expect(project.everCreated.length).toBe(1);
});
