import { systemClock } from './clock.ts';
import { KubernetesError, type KubernetesClient } from './kubernetes-client.ts';
import type { Leadership } from './leadership.ts';
import { isNobody, isProven, mayTake, rightNow, type Lease, type Moment } from './lease.ts';
import { leaseLookout, type LeaseLookoutOptions } from './lease-lookout.ts';
import { leaseRequests } from './lease-requests.ts';

export interface LeaderElectionOptions extends LeaseLookoutOptions {
  /** Over a connection of its own: what else the process says must not keep a renewal waiting. */
  readonly client: KubernetesClient;
  /** How long others wait after the last renewal that they saw. Whole seconds. */
  readonly leaseDurationMs: number;
  /** How long after its last renewal a process counts on the lease. What is under way then has the rest of the duration to arrive. */
  readonly renewDeadlineMs: number;
  /** The first failure in a row. */
  readonly onTrouble: (error: unknown) => void;
  readonly onRecovery: () => void;
}

/**
 * One process' part in the election of the one that acts, by the rules of client-go. An identity is used by one process, once.
 */
export interface LeaderElection extends Leadership {
  /** Waits until this process holds the lease, and keeps it from then on. However long the API server is away. @throws the signal's reason */
  win(signal: AbortSignal): Promise<void>;
  /** Resolves, with the reason, when the lease was held and is not any more. There is no second try. */
  readonly lost: Promise<string>;
  /** Who acts, as far as this process knows. */
  readonly holder: string | undefined;
  /** The lease was held and has run out, and the process is still there: it hangs. */
  readonly isOverdue: boolean;
  /** Gives the lease back, so that others need not wait for its end. Only when all work has stopped. Never throws. */
  release(): Promise<void>;
}

type Phase = 'waiting' | 'leading' | 'released' | 'lost';

export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const { identity, renewDeadlineMs } = options;
  // Half of the time to renew in: a request that hangs leaves time for another.
  const requests = leaseRequests({ ...options, durationMs: options.leaseDurationMs, timeoutMs: renewDeadlineMs / 2 });
  const lookout = leaseLookout(options);
  const { promise: lost, resolve: tellLoss } = Promise.withResolvers<string>();
  const over = new AbortController();
  let phase: Phase = 'waiting';
  let renewal: Moment | undefined;
  let renewing: Promise<void> | undefined;
  let watchdog: Disposable | undefined;
  let isTroubled = false;

  const provenWithin = (ms: number) => renewal !== undefined && isProven(renewal, rightNow(), ms);
  const lose = (why: string) => {
    if (phase !== 'leading') return;
    phase = 'lost';
    over.abort(new Error('the lease is lost'));
    tellLoss(why);
  };
  const claim = async (current: Lease | undefined): Promise<void> => {
    const { lease, asked } = await requests.claim(current);
    lookout.saw(lease);
    renewal = asked;
    watchdog?.[Symbol.dispose]();
    watchdog = systemClock.schedule(renewDeadlineMs - (performance.now() - asked.steady), () =>
      lose(`it could not be renewed for ${renewDeadlineMs / 1_000} s`),
    );
  };
  /** Looks, and takes or renews it where that may be. @returns whether it may be */
  const look = async (): Promise<boolean> => {
    const lease = await requests.get();
    if (lease) lookout.saw(lease);
    // One that somebody deleted is still its holder's until it would have run out: the holder may not know.
    if (lookout.known && !mayTake(lookout.known, identity, performance.now())) return false;
    await claim(lease);
    return true;
  };
  /** Mostly the lease is as it was left: then one request does. */
  const renew = async (): Promise<boolean> => {
    try {
      await claim(lookout.known?.lease);
      return true;
    } catch (error) {
      if (!isOvertaken(error)) throw error;
      return look();
    }
  };
  /** @returns undefined when it failed, or somebody was quicker: the next look tells */
  const attempt = async (act: () => Promise<boolean>): Promise<boolean | undefined> => {
    try {
      const isOurs = await act();
      if (isTroubled) options.onRecovery();
      isTroubled = false;
      return isOurs;
    } catch (error) {
      if (isOvertaken(error)) return undefined;
      if (!isTroubled) options.onTrouble(error);
      isTroubled = true;
      return undefined;
    }
  };
  const keepRenewing = async () => {
    for (;;) {
      await systemClock.sleep(options.retryPeriodMs, over.signal).catch(() => undefined); // aborted: it is over
      if (over.signal.aborted) return;
      if ((await attempt(renew)) === false) lose(`${holderIn(lookout.known?.lease) ?? 'somebody else'} has taken it`);
    }
  };

  return {
    lost,
    get held() {
      return phase === 'leading' && provenWithin(renewDeadlineMs);
    },
    get holder() {
      return phase === 'leading' ? identity : holderIn(lookout.known?.lease);
    },
    get isOverdue() {
      return (phase === 'leading' || phase === 'lost') && !provenWithin(options.leaseDurationMs);
    },
    async win(signal) {
      const found = new AbortController();
      void lookout.follow(AbortSignal.any([signal, found.signal]));
      try {
        for (;;) {
          signal.throwIfAborted();
          const isOurs = await attempt(look);
          if (isOurs === true) break;
          await lookout.untilWorthATry(isOurs === false, signal);
        }
      } finally {
        found.abort(new Error('nobody waits for the lease any more'));
      }
      // Also when it was asked meanwhile to end: what is held is given back.
      phase = 'leading';
      renewing = keepRenewing();
    },
    async release() {
      if (phase !== 'leading') return;
      phase = 'released';
      over.abort(new Error('the lease is given back'));
      await renewing;
      watchdog?.[Symbol.dispose]();
      await requests.giveBack().catch(() => undefined); // others wait for its end then
    },
  };
}

/** Another version of it, or none any more. */
function isOvertaken(error: unknown): boolean {
  return error instanceof KubernetesError && ['conflict', 'alreadyExists', 'notFound'].includes(error.kind);
}

function holderIn(lease: Lease | undefined): string | undefined {
  const holder = lease?.spec.holderIdentity;
  return isNobody(holder) ? undefined : (holder ?? undefined);
}
