import { systemClock } from './clock.ts';
import type { Connection } from './connection.ts';
import type { Controller } from './controller.ts';
import type { EventRecorder } from './events.ts';
import { healthServer, type HealthServer, type MetricsPage } from './health-server.ts';
import type { KeptCaches } from './kept-caches.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import type { LeaderElection } from './leader-election.ts';
import type { MissingLists, Watches } from './reflector.ts';
import { unlessAborted } from './unless-aborted.ts';

/** Steps of the caller between those of the manager. */
export interface Preparation {
  /**
   * Runs before the caches are filled, for requests to the API server that must come first.
   * @param signal aborts when the manager is stopped
   * @param waitFor takes the condition that the caller waits for, for /readyz
   * @param giveUp ends the work of this process for the given reason, at any later time: it writes nothing more, and `lost` resolves
   * @returns a function that is called right before the controllers start: this process leads, and its caches are complete
   */
  readonly prepare?: (
    signal: AbortSignal,
    waitFor: (condition: string) => void,
    giveUp: (why: string) => void,
  ) => Promise<() => void>;
  /** Runs after the last visit has ended. Events are still written. */
  readonly afterWork?: () => void;
}

export interface Running {
  /** Resolves once the controllers run. Rejects when the manager is stopped before. */
  readonly started: Promise<void>;
  /**
   * Resolves with the reason when this process loses the lease, or gives up because it cannot work. It sends no more
   * changes, and the caller must stop the manager.
   */
  readonly lost: Promise<string>;
  /** See {@link WorkQueue.quiet}. */
  readonly idle: boolean;
  readonly healthPort: number | undefined;
  /** Ends in the order of the README. Idempotent. @param graceMs real time for the visits in flight */
  stop(graceMs: number): Promise<void>;
}

export interface LifeParts extends Preparation {
  readonly link: Connection;
  readonly client: KubernetesClient;
  readonly election: LeaderElection | undefined;
  readonly catchUpMs: number;
  readonly events: EventRecorder;
  readonly caches: KeptCaches;
  readonly watching: Watches;
  readonly missing: MissingLists;
  readonly controllers: readonly Controller[];
  readonly ending: AbortController;
  readonly state: { isStarted: boolean; hasGivenUp: boolean };
  readonly health: { readonly host: string; readonly port: number } | undefined;
  readonly pages: Readonly<Record<string, MetricsPage>>;
}

const beginning = 'the API server, the CRDs and the first lists';
const firstLists = 'the first lists';

const lastEventsMs = 2_000;
const keepsAliveMs = 60_000;

/** @throws when the health server cannot listen */
export async function life(parts: LifeParts): Promise<Running> {
  const { election, controllers, state } = parts;
  let waiting: string | undefined = beginning;
  const health = parts.health && (await served(parts, parts.health, () => waiting));
  // Sockets may be absent and timers are unreferenced: without this interval and a health server, a process
  // would end during an outage of the API server.
  const alive = setInterval(() => undefined, keepsAliveMs);
  const { promise: unable, resolve } = Promise.withResolvers<string>();
  const giveUp = (why: string) => {
    state.hasGivenUp = true;
    resolve(why);
  };
  const started = begin(parts, (condition) => (waiting = condition), giveUp);
  started.catch(() => undefined); // the caller awaits `started`
  let isLost = false;
  const taken = election ? [election.lost.then((why) => `the lease is lost: ${why}`)] : [];
  const lost = Promise.race([unable, ...taken]).then((why) => {
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
      (stopping ??= end(parts, health, started, graceMs, isLost ? 'abort' : 'finish').finally(() =>
        clearInterval(alive),
      )),
  };
}

function served(
  { election, pages, missing, state }: LifeParts,
  where: { readonly host: string; readonly port: number },
  waiting: () => string | undefined,
) {
  return healthServer({
    ...where,
    // A process that does not work yet could not begin without a list that is missing.
    waitingFor: () => [waiting() ?? [], state.isStarted ? [] : missing.reasons].flat(),
    problem: () =>
      election?.isOverdue === true
        ? 'the lease has run out, and this process is still there'
        : undefined,
    pages,
  });
}

async function begin(
  parts: LifeParts,
  waitFor: (condition: string | undefined) => void,
  giveUp: (why: string) => void,
): Promise<void> {
  const { prepare, caches, watching, election, controllers, ending, state } = parts;
  // After a crash, the wait for the end of the lease must not begin as late as with filled caches.
  void election?.observe();
  const act = await prepare?.(ending.signal, waitFor, giveUp);
  waitFor(firstLists);
  await caches.fillFrom(watching, ending.signal);
  waitFor(undefined);
  if (election) {
    await election.win(ending.signal);
    await caughtUp(parts, giveUp);
  }
  act?.();
  for (const each of controllers) each.start();
  state.isStarted = true;
}

/**
 * Waits until the caches match the API server. A leader that waits too long keeps every other process from acting. It
 * must give the lease back, safely: the controllers have not begun.
 */
async function caughtUp(
  { client, caches, missing, ending, catchUpMs }: LifeParts,
  giveUp: (why: string) => void,
): Promise<void> {
  const tooLong = AbortSignal.timeout(catchUpMs);
  try {
    await caches.catchUp(client, missing, AbortSignal.any([ending.signal, tooLong]));
  } catch (error) {
    if (ending.signal.aborted || !tooLong.aborted) throw error;
    const why = missing.reasons.length > 0 ? missing.reasons.join(', ') : 'the watches are behind';
    giveUp(
      `the lease is given back: for ${catchUpMs / 1_000} s the caches did not match the API server (${why})`,
    );
    await unlessAborted(new Promise<never>(() => undefined), ending.signal);
  }
}

async function end(
  parts: LifeParts,
  health: HealthServer | undefined,
  started: Promise<void>,
  graceMs: number,
  visits: 'finish' | 'abort',
): Promise<void> {
  const { afterWork, controllers, events, ending, election, watching, link } = parts;
  const ends = await Promise.all(controllers.map((each) => each.stop(graceMs, visits)));
  afterWork?.();
  await Promise.race([events.flush(), systemClock.sleep(lastEventsMs)]);
  ending.abort(new Error('the operator is stopping'));
  await started.catch(() => undefined); // the election may be won at the last moment
  // A request of an unfinished visit may still arrive.
  if (ends.every((hasEnded) => hasEnded)) await election?.release();
  await watching.ended();
  await health?.[Symbol.asyncDispose]();
  await link[Symbol.asyncDispose]();
  await election?.[Symbol.asyncDispose]();
}
