import type { Dispatcher } from 'undici';
import { setTimeout as pause } from 'node:timers/promises';

/** The requests of operators to Kubernetes and to the cloud. */
export interface Traffic {
  /** Wraps all requests of an operator. */
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  /**
   * Waits for a time without writes to Kubernetes, and without cloud calls except lists and getCredentialsInfo, and not too many of these. Back-off leads to
   * such a time sooner or later; a loop never does.
   * @param stretchMs real time
   * @throws {Error} with the calls, if there is no such time
   */
  untilQuiet(stretchMs: number): Promise<void>;
}

interface Call {
  readonly at: number;
  readonly name: string;
  readonly isPoll: boolean;
}

/** Calls of a list in the time: more of them are a loop. */
const mostPolls = 20;
const remembered = 2_000;

/** @param longestWaitMs real time for operators to become quiet */
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
          throw new Error(
            `the operator never comes to rest:\n${tally(since(begun), performance.now() - begun)}`,
          );
      }
    },
  };
}

/** Undefined for a watch, which is not a single call. */
function callOf({
  method,
  path: place,
  query,
}: Dispatcher.DispatchOptions): Omit<Call, 'at'> | undefined {
  const isRead = method === 'GET' || method === 'HEAD';
  const isKubernetes = /^\/apis?\//u.test(place);
  if (isKubernetes && query?.['watch'] !== undefined) return undefined;
  // projects/{id}/services/{id}: a path that ends in an id is a resource, not a list.
  const isOneOfTheCloud =
    !isKubernetes && place.startsWith('/projects/') && place.split('/').length % 2 === 1;
  return { name: `${method} ${place}`, isPoll: isRead && !isOneOfTheCloud };
}

function tally(calls: readonly Call[], ms: number): string {
  const counts = Object.entries(Object.groupBy(calls, ({ name }) => name)).map(
    ([name, all = []]) => ({ name, count: all.length }),
  );
  const lines = counts
    .toSorted((one, other) => other.count - one.count)
    .map(({ name, count }) => `${count} times ${name}`);
  return [...lines.slice(0, 15), `in ${Math.round(ms)} ms`].join('\n');
}
