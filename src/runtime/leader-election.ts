import type { Dispatcher } from 'undici';
import { systemClock } from './clock.ts';
import { type ApiServer, connection } from './connection.ts';
import { kubernetesClient } from './kubernetes-client.ts';
import { isAway, isConflict } from './kubernetes-error.ts';
import {
  type Candidate,
  type Lease,
  type LeaseMarks,
  leaseRequests,
  type LeaseRequests,
  mayTake,
  type Observation,
  observed,
  Tenure,
} from './lease.ts';
import type { Log } from './log.ts';

/** Whether this process may act. Asked at the moment when a request goes to a socket, not earlier. */
export interface Leadership {
  /** True only while it is provable that no other process can hold the lease. */
  readonly held: boolean;
}

/**
 * The Lease object, the identity of this process, and the times of the election (real
 * milliseconds).
 */
export interface ElectionSettings {
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, such as its host name and a random part. Otherwise the annotations of `marks` must be unique. */
  readonly identity: string;
  readonly marks?: LeaseMarks | undefined;
  /** Whole seconds. */
  readonly leaseDurationMs: number;
  /** Time after its last renewal in which the holder relies on the lease. Shorter than `leaseDurationMs`. */
  readonly renewDeadlineMs: number;
  /** The pause between two renewals. */
  readonly retryPeriodMs: number;
  /**
   * Real time for the caches to match the API server after the lease is won; then the process gives the lease back.
   * Default: 2 minutes, as the CacheSyncTimeout of controller-runtime. Longer than a silent watch lasts.
   */
  readonly catchUpMs?: number;
}

/** The API server of the election, and the identity of its requests. */
export interface ElectionParts {
  readonly apiServer: () => ApiServer;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly fieldManager: string;
  readonly userAgent: string;
  readonly log: Log;
  readonly random: () => number;
}

/** The part of a process in a leader election, by the rules of client-go. */
export interface LeaderElection extends Leadership, AsyncDisposable {
  /** Looks at the lease without taking it: a process that sees the lease earlier may take it earlier. Never throws. */
  observe(): Promise<void>;
  /**
   * Waits until this process holds the lease, then renews it. It waits out an outage of the API
   * server. Must be called once.
   * @throws the signal's reason
   */
  win(signal: AbortSignal): Promise<void>;
  /** Resolves with the reason when this process loses the lease. */
  readonly lost: Promise<string>;
  /** Whether this process hangs: it held the lease, and the lease has run out. */
  readonly isOverdue: boolean;
  /** Releases the lease, so that other replicas need not wait for its end. All work must have stopped. Never throws. */
  release(): Promise<void>;
}

/** Longest time between two looks of a standby process, with jitter: it bounds the time without a leader after a release. */
const standbyPeriodMs = 1_000;

/**
 * Makes the part of this process in an election. It uses its own connection, so that other requests
 * never delay a renewal.
 */
export function leaderElection(settings: ElectionSettings, parts: ElectionParts): LeaderElection {
  const { namespace, name, identity, renewDeadlineMs, leaseDurationMs, retryPeriodMs } = settings;
  const { apiServer, intercept, fieldManager, userAgent, log, random } = parts;
  const lease = `${namespace}/Lease/${name}`;
  const tenure = new Tenure(renewDeadlineMs);
  const link = connection({ apiServer, intercept, stallMs: leaseDurationMs }); // without watches
  const client = kubernetesClient({
    connection: link,
    fieldManager,
    userAgent,
    mayWrite: () => tenure.mayClaim,
  });
  // Half of the deadline: after a request that hangs, there is time for another.
  const requests = leaseRequests({
    ...settings,
    client,
    durationMs: leaseDurationMs,
    timeoutMs: renewDeadlineMs / 2,
  });
  const attempt = loggedAttempts(lease, log);
  const claims = leaseClaims(requests, tenure, settings);
  let renewing: Promise<void> | undefined;
  const keepRenewing = async () => {
    while (await tenure.lasts(retryPeriodMs)) {
      if ((await attempt(claims.renew)) === false)
        tenure.lose(`${claims.holder || 'another process'} has taken it`);
    }
  };

  return {
    lost: tenure.lost,
    get held() {
      return tenure.isLeading && tenure.isProvenWithin(renewDeadlineMs);
    },
    get isOverdue() {
      return tenure.hasBegun && !tenure.isProvenWithin(leaseDurationMs);
    },
    async observe() {
      await attempt(claims.see);
    },
    async win(signal) {
      log.info(
        { lease, identity },
        'standing by: the caches are warm, and nothing is done before the lease is held',
      );
      signal.throwIfAborted();
      while ((await attempt(claims.look)) !== true)
        await systemClock.sleep((standbyPeriodMs * (1 + random())) / 2, signal);
      // Even if the process was stopped meanwhile: `release` then gives the lease back.
      tenure.begin();
      renewing = keepRenewing();
      log.info({ lease, identity }, 'the lease is held');
    },
    async release() {
      if (!tenure.isLeading) return;
      tenure.giveUp();
      await renewing;
      tenure.unwatch();
      await requests.giveBack().catch(() => undefined); // other replicas then wait for its end
    },
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}

/** `look` and `renew` return whether this process holds the lease now. */
function leaseClaims(requests: LeaseRequests, tenure: Tenure, candidate: Candidate) {
  let known: Observation | undefined;
  const saw = (lease: Lease) => {
    known = observed(known, lease, performance.now());
  };
  const claim = async (current: Lease | undefined): Promise<void> => {
    const { lease, asked } = await requests.claim(current);
    saw(lease);
    tenure.renewed(asked);
  };
  const see = async (): Promise<Lease | undefined> => {
    const lease = await requests.get();
    if (lease) saw(lease);
    return lease;
  };
  const look = async (): Promise<boolean> => {
    const lease = await see();
    // A deleted lease still belongs to its holder until it would have run out, since the holder may not know.
    if (known && !mayTake(known, candidate, performance.now())) return false;
    await claim(lease);
    return true;
  };
  const renew = async (): Promise<boolean> => {
    try {
      await claim(known?.lease);
      return true;
    } catch (error) {
      if (!isConflict(error)) throw error;
      return look();
    }
  };
  return {
    see,
    look,
    renew,
    get holder() {
      return known?.lease.spec.holderIdentity;
    },
  };
}

/**
 * Logs the first failure in a row, and the first success afterwards.
 * @returns undefined after a failure, or if another process was faster
 */
function loggedAttempts(lease: string, log: Log) {
  let isTroubled = false;
  return async <T>(act: () => Promise<T>): Promise<T | undefined> => {
    try {
      const result = await act();
      if (isTroubled) log.debug({ lease }, 'the lease can be read and written again');
      isTroubled = false;
      return result;
    } catch (error) {
      if (isConflict(error)) return undefined;
      // An outage of the API server is logged once, elsewhere.
      const level = isAway(error) ? 'debug' : 'warn';
      if (!isTroubled)
        log[level](
          { lease, error: String(error) },
          'the lease could not be read or written; it is tried again',
        );
      isTroubled = true;
      return undefined;
    }
  };
}
