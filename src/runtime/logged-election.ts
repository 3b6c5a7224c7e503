import type { Dispatcher } from 'undici';
import type { ApiServer } from './api-server.ts';
import { connection } from './connection.ts';
import { kubernetesClient } from './kubernetes-client.ts';
import { isAway } from './kubernetes-error.ts';
import { leaderElection, type LeaderElection } from './leader-election.ts';
import type { LeaseMarks } from './lease.ts';
import type { Log } from './log.ts';

export interface ElectionSettings {
  readonly namespace: string;
  readonly name: string;
  /** Unique to this process, such as its host name and a random part. Otherwise the annotations of `marks` must be unique. */
  readonly identity: string;
  readonly marks?: LeaseMarks | undefined;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /**
   * Real time for the caches to match the API server after the lease is won; then the process gives the lease back.
   * Default: 2 minutes, as the CacheSyncTimeout of controller-runtime. Longer than a silent watch lasts.
   */
  readonly catchUpMs?: number;
}

export interface ElectionParts {
  readonly apiServer: () => ApiServer;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly fieldManager: string;
  readonly userAgent: string;
  readonly log: Log;
  readonly random: () => number;
}

/** A leader election that logs its course, over its own connection. */
export function loggedElection(settings: ElectionSettings, parts: ElectionParts): LeaderElection & AsyncDisposable {
  const { apiServer, log, random, intercept, fieldManager, userAgent } = parts;
  const { namespace, name, identity } = settings;
  const lease = `${namespace}/Lease/${name}`;
  // The holder renews the lease more often. A longer silence means that the watch or the holder is dead.
  const link = connection({ apiServer, intercept, stallMs: settings.leaseDurationMs });
  const election = leaderElection({
    ...settings,
    connection: link,
    client: (mayWrite) => kubernetesClient({ connection: link, fieldManager, userAgent, mayWrite }),
    random,
    // An outage of the API server is logged once, elsewhere.
    onTrouble: (error) =>
      log[isAway(error) ? 'debug' : 'warn']({ lease, error: String(error) }, 'the lease could not be read or written; it is tried again'),
    onRecovery: () => log.debug({ lease }, 'the lease can be read and written again'),
  });
  return {
    lost: election.lost,
    get held() {
      return election.held;
    },
    get holder() {
      return election.holder;
    },
    get isOverdue() {
      return election.isOverdue;
    },
    standBy: (signal) => election.standBy(signal),
    async win(signal) {
      log.info({ lease, identity }, 'standing by: the caches are warm, and nothing is done before the lease is held');
      await election.win(signal);
      log.info({ lease, identity }, 'the lease is held');
    },
    untilRefused: () => election.untilRefused(),
    release: () => election.release(),
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}
