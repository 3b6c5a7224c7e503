import type { Dispatcher } from 'undici';
import { setTimeout as pause } from 'node:timers/promises';

/** What operators say to Kubernetes and to the cloud. */
export interface Traffic {
  /** Put around all that an operator sends. */
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  /**
   * Waits for a stretch in which nothing is written to Kubernetes and the cloud is asked for nothing but lists and whose the key is, and none of that
   * in a row. Back-off makes room for it sooner or later; a loop never does.
   * @param stretchMs real time
   * @throws {Error} with what was called, when there is no such stretch
   */
  untilQuiet(stretchMs: number): Promise<void>;
}

interface Call {
  readonly at: number;
  readonly name: string;
  readonly isPoll: boolean;
}

/** In one stretch, of the same thing: who looks this often does not wait for anything. */
const mostPolls = 20;
const remembered = 2_000;

/** @param longestWaitMs real time that is given to operators to come to rest */
export function traffic(longestWaitMs = 15_000): Traffic {
  const calls: Call[] = [];
  const since = (at: number) => calls.filter((call) => call.at >= at);
  const intercept: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) => {
    const said = callOf(options);
    if (said) calls.push({ at: performance.now(), ...said });
    if (calls.length > 2 * remembered) calls.splice(0, remembered);
    return dispatch(options, handler);
  };
  const restlessIn = (stretchMs: number) => {
    const counts = new Map<string, number>();
    for (const { name, isPoll } of since(performance.now() - stretchMs)) {
      const step = isPoll ? 1 : mostPolls;
      counts.set(name, (counts.get(name) ?? 0) + step);
    }
    return [...counts].some(([, count]) => count >= mostPolls);
  };
  return {
    intercept,
    async untilQuiet(stretchMs) {
      const begun = performance.now();
      const deadline = begun + longestWaitMs + stretchMs;
      for (await pause(stretchMs); restlessIn(stretchMs); await pause(stretchMs / 4)) {
        if (performance.now() > deadline)
          throw new Error(`the operator never comes to rest:\n${tally(since(begun), performance.now() - begun)}`);
      }
    },
  };
}

/** Undefined for a watch, which is no call but a conversation. */
function callOf({ method, path: place, query }: Dispatcher.DispatchOptions): Omit<Call, 'at'> | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const isKubernetes = /^\/apis?\//u.test(place);
  if (isKubernetes && query?.['watch'] !== undefined) return undefined;
  // projects/{id}/services/{id}: with an id at the end it is one thing, and no list.
  const isOneOfTheCloud = !isKubernetes && place.startsWith('/projects/') && place.split('/').length % 2 === 1;
  return { name: `${method} ${place}`, isPoll: isRead && !isOneOfTheCloud };
}

function tally(calls: readonly Call[], ms: number): string {
  const counts = Object.entries(Object.groupBy(calls, ({ name }) => name)).map(([name, all = []]) => ({ name, count: all.length }));
  const lines = counts.toSorted((one, other) => other.count - one.count).map(({ name, count }) => `${count} times ${name}`);
  return [...lines.slice(0, 15), `in ${Math.round(ms)} ms`].join('\n');
}
