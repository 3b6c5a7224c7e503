import type { Dispatcher } from 'undici';
import type { ApiServer } from './api-server.ts';
import { connection } from './connection.ts';
import { kubernetesClient } from './kubernetes-client.ts';
import { isAway } from './kubernetes-error.ts';
import { leaderElection, type LeaderElection } from './leader-election.ts';
import type { Log } from './log.ts';

/** How processes agree on the one that acts. */
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
  readonly intercept: Dispatcher.DispatcherComposeInterceptor | undefined;
  readonly fieldManager: string;
  readonly userAgent: string;
  readonly log: Log;
  readonly random: () => number;
  /** Whether this process holds the Lease of this name: told at the beginning, and when it changes. */
  readonly leads: (lease: string, isLeading: boolean) => void;
}

/** An election over a connection of its own, and what people are told of it. */
export function toldElection(settings: ElectionSettings, parts: ElectionParts): LeaderElection & AsyncDisposable {
  const { apiServer, log, leads, random, intercept, fieldManager, userAgent } = parts;
  const { namespace, name, identity } = settings;
  const lease = `${namespace}/Lease/${name}`;
  // The lease changes more often than it runs out: a watch that is silent for so long is dead, or so is its holder.
  const link = connection({ apiServer, intercept, stallMs: settings.leaseDurationMs });
  const election = leaderElection({
    ...settings,
    connection: link,
    client: (mayWrite) => kubernetesClient({ connection: link, fieldManager, userAgent, mayWrite }),
    random,
    // An API server that is away is told once for all.
    onTrouble: (error) =>
      log[isAway(error) ? 'debug' : 'warn']({ lease, error: String(error) }, 'the lease could not be read or written; it is tried again'),
    onRecovery: () => log.debug({ lease }, 'the lease can be read and written again'),
  });
  leads(name, false);
  return {
    lost: election.lost.finally(() => leads(name, false)),
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
      leads(name, true);
      log.info({ lease, identity }, 'the lease is held');
    },
    untilRefused: () => election.untilRefused(),
    async release() {
      await election.release();
      leads(name, false);
    },
    [Symbol.asyncDispose]: () => link[Symbol.asyncDispose](),
  };
}
