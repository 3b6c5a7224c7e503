import type { Dispatcher } from 'undici';
import { connection, kubernetesClient, leaderElection, type ApiServer, type LeaderElection, type Log } from '../runtime/index.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { isAway } from './tell-of-failure.ts';

/** How replicas agree on who acts. */
export interface ElectionSettings {
  /** Where the Lease is. */
  readonly namespace: string;
  readonly name: string;
  /** Of this process alone, such as the name of its host and something random. */
  readonly identity: string;
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export interface ElectionParts {
  readonly apiServer: () => ApiServer;
  readonly log: Log;
  readonly metrics: Pick<OperatorMetrics, 'leads'>;
  readonly random: () => number;
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly fieldManager: string;
  readonly userAgent: string;
}

/** This replica's part in the election, with what the log and the metrics say about it. */
export function operatorElection(settings: ElectionSettings, parts: ElectionParts): LeaderElection & AsyncDisposable {
  const { log, metrics, random, intercept, fieldManager, userAgent } = parts;
  const { namespace, name, identity } = settings;
  const lease = `${namespace}/Lease/${name}`;
  // The lease changes more often than it runs out: a watch that is silent for so long is dead, or so is its holder.
  const link = connection({ apiServer: parts.apiServer, intercept, stallMs: settings.leaseDurationMs });
  const election = leaderElection({
    ...settings,
    connection: link,
    client: kubernetesClient({ connection: link, fieldManager, userAgent }),
    random,
    // An API server that is away is told once for all.
    onTrouble: (error) =>
      log[isAway(error) ? 'debug' : 'warn']({ lease, error: String(error) }, 'the lease could not be read or written; it is tried again'),
    onRecovery: () => log.debug({ lease }, 'the lease can be read and written again'),
  });
  metrics.leads(name, false);
  return {
    lost: election.lost.finally(() => metrics.leads(name, false)),
    get held() {
      return election.held;
    },
    get holder() {
      return election.holder;
    },
    get isOverdue() {
      return election.isOverdue;
    },
    async win(signal) {
      log.info({ lease, identity }, 'standing by: the caches are warm, and nothing is done before the lease is held');
      await election.win(signal);
      metrics.leads(name, true);
      log.info({ lease, identity }, 'the lease is held');
    },
    async release() {
      await election.release();
      metrics.leads(name, false);
    },
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}
