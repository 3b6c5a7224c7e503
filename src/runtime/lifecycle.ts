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

/** An operator process after its start. The caller must stop it. */
export interface Running {
  /** Resolves once the controllers run. Rejects when the manager is stopped before. */
  readonly started: Promise<void>;
  /**
   * Resolves with the reason when this process loses the lease, or gives up because it cannot work. It sends no more
   * changes, and the caller must stop the manager.
   */
  readonly lost: Promise<string>;
  /** Whether the controllers have started, and none has work. See {@link WorkQueue.quiet}. */
  readonly idle: boolean;
  /** The port on which the health server listens. Undefined without a health server. */
  readonly healthPort: number | undefined;
  /**
   * Stops the process in the order of the README. A second call waits for the same end.
   * @param graceMs real time for the visits in flight
   */
  stop(graceMs: number): Promise<void>;
}

/** The parts of an operator process, which `manager.ts` makes and the lifecycle starts and stops in order. */
export interface LifecycleParts extends Preparation {
  readonly link: Connection;
  readonly client: KubernetesClient;
  /** Undefined if the process acts without a lease of its own. */
  readonly election: LeaderElection | undefined;
  /** Real time for the caches to match the API server after the lease is won. */
  readonly catchUpMs: number;
  readonly events: EventRecorder;
  readonly caches: KeptCaches;
  readonly watching: Watches;
  readonly missing: MissingLists;
  readonly controllers: readonly Controller[];
  /** Its signal ends all waits and watches. The lifecycle aborts it once the visits have ended. */
  readonly ending: AbortController;
  /** The lifecycle writes both: the controllers have started; the process writes nothing more. */
  readonly state: { isStarted: boolean; hasGivenUp: boolean };
  readonly health: { readonly host: string; readonly port: number } | undefined;
  readonly pages: Readonly<Record<string, MetricsPage>>;
}

const beginning = 'the API server, the CRDs and the first lists';
const firstLists = 'the first lists';

const lastEventsMs = 2_000;
const keepsAliveMs = 60_000;

/**
 * Starts an operator process: health server, caches, leader election, controllers, in the order of the README. Resolves
 * once the health server listens; the result reports the later steps.
 * @throws when the health server cannot listen
 */
export async function lifecycle(parts: LifecycleParts): Promise<Running> {
  const { election, controllers, state } = parts;
  let waiting: string | undefined = beginning;
  const health = parts.health && (await healthServerOf(parts, parts.health, () => waiting));
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
      (stopping ??= end(parts, {
        health,
        started,
        graceMs,
        visits: isLost ? 'abort' : 'finish',
      }).finally(() => clearInterval(alive))),
  };
}

function healthServerOf(
  { election, pages, missing, state }: LifecycleParts,
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
  parts: LifecycleParts,
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
    await catchUp(parts, giveUp);
  }
  act?.();
  for (const each of controllers) each.start();
  state.isStarted = true;
}

/**
 * Waits until the caches match the API server. A leader that waits too long keeps every other process from acting. It
 * must give the lease back, safely: the controllers have not begun.
 */
async function catchUp(
  { client, caches, missing, ending, catchUpMs }: LifecycleParts,
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

interface End {
  readonly health: HealthServer | undefined;
  readonly started: Promise<void>;
  readonly graceMs: number;
  readonly visits: 'finish' | 'abort';
}

async function end(
  parts: LifecycleParts,
  { health, started, graceMs, visits }: End,
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
