import { systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { Controller } from './controller.ts';
import type { EventRecorder } from './events.ts';
import { healthServer, type HealthServer } from './health-server.ts';
import type { KeptCaches } from './kept-caches.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import type { LeaderElection } from './leader-election.ts';
import type { Watches } from './watches.ts';

/** What is done in between, by whoever knows more. */
export interface Preparation {
  /**
   * Before the caches are filled: the time for what needs an answer of the API server first.
   * @param signal aborts when it is stopped before
   * @returns called once this process leads and its caches are complete, right before its controllers work
   */
  readonly prepare?: (signal: AbortSignal) => Promise<() => void>;
  /** No key is worked any more. Events are still written. */
  readonly afterWork?: () => void;
}

/** A manager that was started. */
export interface Running {
  /** Resolves once its controllers work: every cache is complete, and the lead is won. Rejects when stopped before. */
  readonly started: Promise<void>;
  /** Resolves, with the reason, when the lead is lost: then nothing is sent any more, and it has to be stopped. */
  readonly lost: Promise<string>;
  /** Nothing to do, nothing being done, nothing planned that anybody waits for. */
  readonly idle: boolean;
  readonly healthPort: number | undefined;
  /**
   * Takes no more keys, waits for those in flight (where the lead is lost, they are aborted), writes the last events, gives the lead back, and ends.
   * Idempotent.
   * @param graceMs how long visits in flight may go on; real time
   */
  stop(graceMs: number): Promise<void>;
}

export interface LifeParts {
  readonly link: Connection;
  readonly client: KubernetesClient;
  readonly election: (LeaderElection & AsyncDisposable) | undefined;
  readonly events: EventRecorder;
  readonly caches: KeptCaches;
  readonly watching: Watches;
  readonly controllers: readonly Controller[];
  readonly ending: AbortController;
  readonly state: { isStarted: boolean };
  readonly health: { readonly host: string; readonly port: number } | undefined;
  readonly metrics: (() => Promise<{ readonly contentType: string; readonly text: string }>) | undefined;
}

/** What keeps a process from being ready. */
const firstLists = 'the API server, the CRDs and the first lists';
/**
 * A rollout ends one that stands by once another is ready. If that knew less, the count of a holder that has died would begin anew, and nobody would act for
 * longer than a lease.
 */
const firstRenewal = 'the holder of the lease to renew it, or the lease to run out';

/** How long events may take to be written at the end. */
const lastEventsMs = 2_000;
/** Any time does. */
const keepsAliveMs = 60_000;

/** @throws when the health server cannot listen */
export async function life(parts: LifeParts, preparation: Preparation): Promise<Running> {
  const { election, controllers, state } = parts;
  const waiting = new Set<string>([firstLists, ...(election ? [firstRenewal] : [])]);
  const health = parts.health && (await served(parts, parts.health, waiting));
  // Timers do not: without this, a process without a health server ends while its API server is away.
  const alive = setInterval(() => undefined, keepsAliveMs);
  const started = begin(parts, preparation, waiting);
  started.catch(() => undefined); // told to whoever awaits it
  let isLost = false;
  const lost = (election?.lost ?? new Promise<never>(() => undefined)).then((why) => {
    isLost = true;
    return why;
  });
  let stopping: Promise<void> | undefined;
  return {
    started,
    lost,
    healthPort: health?.port,
    get idle() {
      return state.isStarted && controllers.every(({ idle }) => idle);
    },
    stop: (graceMs) =>
      (stopping ??= end(parts, { started, health, preparation, graceMs, visits: isLost ? 'abort' : 'finish' }).finally(() =>
        clearInterval(alive),
      )),
  };
}

function served({ election, metrics }: LifeParts, where: { readonly host: string; readonly port: number }, waiting: ReadonlySet<string>) {
  return healthServer({
    ...where,
    waitingFor: () => [...waiting],
    problem: () => (election?.isOverdue === true ? 'the lease has run out, and this process is still there' : undefined),
    ...(metrics ? { metrics } : {}),
  });
}

async function begin(parts: LifeParts, { prepare }: Preparation, waiting: Set<string>): Promise<void> {
  const { client, caches, watching, election, controllers, ending, state } = parts;
  const standing = election?.standBy(ending.signal).then(() => waiting.delete(firstRenewal));
  standing?.catch(() => undefined); // told below
  const act = await prepare?.(ending.signal);
  // No key is worked before every cache holds what a consistent list told.
  await caches.fillFrom(watching, ending.signal);
  waiting.delete(firstLists);
  if (election) {
    await standing;
    await election.win(ending.signal);
    await caches.catchUp(client, ending.signal);
  }
  act?.();
  for (const each of controllers) each.start();
  state.isStarted = true;
}

interface Ending {
  readonly started: Promise<void>;
  readonly health: HealthServer | undefined;
  readonly preparation: Preparation;
  readonly graceMs: number;
  readonly visits: 'finish' | 'abort';
}

async function end(parts: LifeParts, { started, health, preparation, graceMs, visits }: Ending): Promise<void> {
  const { events, ending, election, watching, link } = parts;
  const hasWorkEnded = await endOfWork(parts, graceMs, visits);
  preparation.afterWork?.();
  await Promise.race([events.flush(), systemClock.sleep(lastEventsMs)]);
  ending.abort(new Error('the operator is stopping'));
  await started.catch(() => undefined); // it may win at the last moment
  // What is still under way may arrive: then the others wait until the lease has run out.
  if (hasWorkEnded) await election?.release();
  await watching.ended();
  await health?.[Symbol.asyncDispose]();
  await link[Symbol.asyncDispose]();
  await election?.[Symbol.asyncDispose]();
}

/** What is under way has its time; none where it could not be written any more, as in an uninstall that takes the rights first. @returns whether all has ended */
async function endOfWork({ controllers, election }: LifeParts, graceMs: number, visits: Ending['visits']): Promise<boolean> {
  const stopAll = async (ms: number, how: Ending['visits']) => {
    const ends = await Promise.all(controllers.map((each) => each.stop(ms, how)));
    return ends.every((hasEnded) => hasEnded);
  };
  const work = [stopAll(graceMs, visits)];
  if (election && visits === 'finish') work.push(election.untilRefused().then(() => stopAll(0, 'abort')));
  return Promise.race(work);
}
