import { systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import { isOlder, leases, looksAgainAt, mayTake, observed, type Lease, type Observation } from './lease.ts';
import { watch } from './watch.ts';

/** What a process knows of a lease that it does not hold. */
export interface LeaseLookout {
  readonly known: Observation | undefined;
  /** Takes in what a live request showed. */
  saw(lease: Lease): void;
  /** Has a watch tell of every change, until the signal aborts. Never throws. */
  follow(signal: AbortSignal): Promise<void>;
  /** Waits until the watch tells something, the lease runs out, or it is time to ask all the same. */
  untilNews(signal: AbortSignal): Promise<void>;
  /**
   * Waits until it is worth asking for the lease: it was given back, it has run out, or nobody would tell.
   * @param isRefused the lease was somebody's a moment ago; else asking itself failed, and is not hurried
   */
  untilWorthATry(isRefused: boolean, signal: AbortSignal): Promise<void>;
}

export interface LeaseLookoutOptions {
  readonly connection: Connection;
  readonly namespace: string;
  readonly name: string;
  readonly identity: string;
  readonly retryPeriodMs: number;
  readonly random: () => number;
}

/** As in client-go: of several that wait, not all ask at the same moment. */
const jitterFactor = 1.2;
/** The server ends a watch after a while, so that no server has all of them for ever. */
const shortestWatchSeconds = 300;

/**
 * A watch and not a poll: a lease that is given back is known at once, at the price of what is sent for each renewal, and the API server is not asked every
 * two seconds by everybody who waits. What a watch told is never acted on without a live look.
 */
export function leaseLookout(options: LeaseLookoutOptions): LeaseLookout {
  const { identity, random, retryPeriodMs } = options;
  const jittered = () => retryPeriodMs * (1 + random() * jitterFactor);
  let known: Observation | undefined;
  let isWatched = false;
  let news = new AbortController();

  const tell = () => {
    news.abort();
    news = new AbortController();
  };
  const saw = (lease: Lease) => {
    known = observed(known, lease, performance.now());
  };
  const heard = (lease: Lease) => {
    if (!known || !isOlder(lease, known)) saw(lease);
  };
  const watchOnce = async (signal: AbortSignal) => {
    for await (const event of oneWatch(options, signal)) {
      isWatched = true;
      if (event.type === 'applied') heard(leases.parse(event.object));
      tell();
    }
  };

  return {
    get known() {
      return known;
    },
    saw,
    async follow(signal) {
      while (!signal.aborted) {
        await watchOnce(signal).catch(() => undefined); // without a watch, it is asked for
        isWatched = false;
        tell();
        await paused(jittered(), signal);
      }
    },
    async untilNews(signal) {
      const now = performance.now();
      const at = looksAgainAt(known, false, now, now + jittered());
      await paused(at - now, AbortSignal.any([signal, news.signal]));
    },
    async untilWorthATry(isRefused, signal) {
      const retryAt = performance.now() + jittered();
      let mayHurry = isRefused;
      while (!signal.aborted) {
        const now = performance.now();
        if (mayHurry && known && mayTake(known, identity, now)) return;
        const at = looksAgainAt(known, isWatched, now, retryAt);
        if (at <= now) return;
        const { signal: heardOf } = news;
        await paused(at - now, AbortSignal.any([signal, heardOf]));
        mayHurry ||= heardOf.aborted;
      }
    },
  };
}

function oneWatch({ connection, namespace, name, random }: LeaseLookoutOptions, signal: AbortSignal) {
  return watch(leases, connection, {
    namespace,
    labelSelector: undefined,
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: undefined,
    sendInitialEvents: false,
    timeoutSeconds: Math.round(shortestWatchSeconds * (1 + random())),
    signal,
  });
}

/** Until the time has passed or the signal aborts. */
function paused(ms: number, signal: AbortSignal): Promise<void> {
  return systemClock.sleep(ms, signal).catch(() => undefined);
}
