import type { KubernetesClient } from './kubernetes-client.ts';
import { KubernetesError } from './kubernetes-error.ts';
import type { Leadership } from './leadership.ts';
import { isNobody, knowsItsEnd, mayTake, type Lease } from './lease.ts';
import { leaseLookout, type LeaseLookout, type LeaseLookoutOptions } from './lease-lookout.ts';
import { leaseRequests, type LeaseRequests } from './lease-requests.ts';
import { Tenure } from './tenure.ts';

export interface LeaderElectionOptions extends LeaseLookoutOptions {
  /** Over a connection of its own: what else the process says must not keep a renewal waiting. It asks before each write whether that may be sent. */
  readonly client: (mayWrite: () => boolean) => KubernetesClient;
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
  /**
   * Begins to watch the lease, and waits until this process knows when it runs out: it would take the lease as early as any other one that stands by.
   * However long the API server is away. Once. @throws the signal's reason
   */
  standBy(signal: AbortSignal): Promise<void>;
  /** Waits until this process, which stands by, holds the lease, and keeps it from then on. However long the API server is away. @throws the signal's reason */
  win(signal: AbortSignal): Promise<void>;
  /** Resolves, with the reason, when the lease was held and is not any more. There is no second try. */
  readonly lost: Promise<string>;
  /** Who acts, as far as this process knows. */
  readonly holder: string | undefined;
  /** The lease was held and has run out, and the process is still there: it hangs. */
  readonly isOverdue: boolean;
  /** Resolves when the API server next refuses this process the lease: it has no rights any more, or is nobody any more. */
  untilRefused(): Promise<void>;
  /** Gives the lease back, so that others need not wait for its end. Only when all work has stopped. Never throws. */
  release(): Promise<void>;
}

export function leaderElection(options: LeaderElectionOptions): LeaderElection {
  const { identity, renewDeadlineMs, leaseDurationMs } = options;
  const tenure = new Tenure(renewDeadlineMs);
  const client = options.client(() => tenure.mayClaim);
  // Half of the time to renew in: a request that hangs leaves time for another.
  const requests = leaseRequests({ ...options, client, durationMs: leaseDurationMs, timeoutMs: renewDeadlineMs / 2 });
  const lookout = leaseLookout(options);
  const refusal = { tell: () => {} };
  const attempt = toldAttempts(options, () => refusal.tell());
  const { glance, look, renew } = claims(requests, lookout, tenure, identity);
  const decided = new AbortController();
  let renewing: Promise<void> | undefined;
  const keepRenewing = async () => {
    while (await tenure.lasts(options.retryPeriodMs)) {
      if ((await attempt(renew)) === false) tenure.lose(`${holderIn(lookout.known?.lease) ?? 'somebody else'} has taken it`);
    }
  };

  return {
    lost: tenure.lost,
    get held() {
      return tenure.isLeading && tenure.isProvenWithin(renewDeadlineMs);
    },
    get holder() {
      return tenure.isLeading ? identity : holderIn(lookout.known?.lease);
    },
    get isOverdue() {
      return tenure.hasBegun && !tenure.isProvenWithin(leaseDurationMs);
    },
    async standBy(signal) {
      const again = async () => {
        await lookout.untilNews(signal);
        signal.throwIfAborted();
        return attempt(glance);
      };
      let knows = await attempt(glance);
      while (knows === undefined) knows = await again();
      // Not before the first look: a watch may begin with an old state, and what follows that would pass for a renewal.
      void lookout.follow(AbortSignal.any([signal, decided.signal]));
      while (knows !== true) knows = await again();
    },
    async win(signal) {
      for (;;) {
        signal.throwIfAborted();
        const isOurs = await attempt(look);
        if (isOurs === true) break;
        await lookout.untilWorthATry(isOurs === false, signal);
      }
      decided.abort(new Error('nobody waits for the lease any more'));
      // Also when it was asked meanwhile to end: what is held is given back.
      tenure.begin();
      renewing = keepRenewing();
    },
    untilRefused: () =>
      new Promise((resolve) => {
        refusal.tell = resolve;
      }),
    async release() {
      if (!tenure.isLeading) return;
      tenure.giveUp();
      await renewing;
      tenure.unwatch();
      await requests.giveBack().catch(() => undefined); // others wait for its end then
    },
  };
}

/** Attempts to see, to get or to keep the lease: each changes what is known of it; but for the first, each says whether this process may have it. */
function claims(requests: LeaseRequests, lookout: LeaseLookout, tenure: Tenure, identity: string) {
  const claim = async (current: Lease | undefined): Promise<void> => {
    const { lease, asked } = await requests.claim(current);
    lookout.saw(lease);
    tenure.renewed(asked);
  };
  const see = async (): Promise<Lease | undefined> => {
    const lease = await requests.get();
    if (lease) lookout.saw(lease);
    return lease;
  };
  /** Looks, and takes nothing. @returns whether it is known when the lease runs out */
  const glance = async (): Promise<boolean> => {
    await see();
    return !lookout.known || knowsItsEnd(lookout.known, performance.now());
  };
  /** Looks, and takes or renews it where that may be. */
  const look = async (): Promise<boolean> => {
    const lease = await see();
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
  return { glance, look, renew };
}

/** Tells of the first failure in a row, of each refusal, and that it is over. @returns undefined when it failed, or somebody was quicker: the next look tells */
function toldAttempts({ onTrouble, onRecovery }: Pick<LeaderElectionOptions, 'onTrouble' | 'onRecovery'>, onRefusal: () => void) {
  let isTroubled = false;
  return async (act: () => Promise<boolean>): Promise<boolean | undefined> => {
    try {
      const isOurs = await act();
      if (isTroubled) onRecovery();
      isTroubled = false;
      return isOurs;
    } catch (error) {
      if (isOvertaken(error)) return undefined;
      if (!isTroubled) onTrouble(error);
      isTroubled = true;
      if (error instanceof KubernetesError && (error.kind === 'forbidden' || error.kind === 'unauthorized')) onRefusal();
      return undefined;
    }
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
