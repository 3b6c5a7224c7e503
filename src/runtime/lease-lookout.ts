import { pause } from './clock.ts';
import type { Connection } from './connection.ts';
import { isOlder, leases, looksAgainAt, mayTake, observed, type Candidate, type Lease, type Observation } from './lease.ts';
import { watch } from './watch.ts';

/** The observation of a lease that this process does not hold. */
export interface LeaseLookout {
  readonly known: Observation | undefined;
  saw(lease: Lease): void;
  /** Watches the lease until the signal aborts. Never throws. */
  follow(signal: AbortSignal): Promise<void>;
  /**
   * Waits until a request is worthwhile: the lease was released or has run out, or there is no watch.
   * @param isRefused another process held the lease a moment ago; otherwise the request failed, and the retry is not
   *   hurried
   */
  untilWorthATry(isRefused: boolean, signal: AbortSignal): Promise<void>;
}

export interface LeaseLookoutOptions extends Candidate {
  readonly connection: Connection;
  readonly namespace: string;
  readonly name: string;
  readonly retryPeriodMs: number;
  readonly random: () => number;
}

/** As in client-go: standby replicas must not send requests at the same moment. */
const jitterFactor = 1.2;
/** The server ends a watch after a while, so that watches spread over the servers. */
const shortestWatchSeconds = 300;

/**
 * Observes a lease by a watch, for the price of an event per renewal: a release is noticed at once, and standby
 * replicas need not poll every two seconds. A process acts only after a live request, never on an event alone.
 */
export function leaseLookout(options: LeaseLookoutOptions): LeaseLookout {
  const { random, retryPeriodMs } = options;
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
        await watchOnce(signal).catch(() => undefined); // without a watch, the lease is polled
        isWatched = false;
        tell();
        await pause(jittered(), signal);
      }
    },
    async untilWorthATry(isRefused, signal) {
      const retryAt = performance.now() + jittered();
      let mayHurry = isRefused;
      while (!signal.aborted) {
        const now = performance.now();
        if (mayHurry && known && mayTake(known, options, now)) return;
        const at = looksAgainAt(known, isWatched, now, retryAt);
        if (at <= now) return;
        const { signal: heardOf } = news;
        await pause(at - now, AbortSignal.any([signal, heardOf]));
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
