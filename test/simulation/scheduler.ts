import { createHash } from 'node:crypto';
import TinyQueue from 'tinyqueue';
import type { SimulatedProcess } from './process.ts';
import { type Random, seededRandom } from './random.ts';

/** The wall clock at the begin of each simulation: 1 January 2027. */
export const startOfTime = Date.UTC(2027, 0, 1);

/** Far more events than any life needs: a life that reaches this limit is in a loop. */
export const mostEvents = 100_000;
/** In characters. */
const hashedLength = 50_000;
/** The real function, also after the globals were replaced: it comes after all microtasks and ticks. */
const nextTurn = globalThis.setImmediate;

/** A run in virtual time. The same seed gives the same run. */
export interface Simulation {
  readonly seed: number;
  /** Milliseconds since the epoch. */
  readonly now: number;
  /** The number of events so far. */
  readonly events: number;
  /** Every line of the trace so far, if the simulation keeps it. */
  readonly trace: readonly string[];
  /** Decides about ties, latency and weather. */
  readonly chance: Random;
  /** All that the code under test draws, such as ids and passwords. */
  readonly drawn: Random;
  /**
   * Plans an event. Events of the same time run in a seeded order. A dead process drops the event, a frozen process
   * holds it.
   * @param process undefined: the world
   */
  at(
    time: number,
    process: SimulatedProcess | undefined,
    label: string,
    run: () => void,
  ): Disposable;
  after(
    delayMs: number,
    process: SimulatedProcess | undefined,
    label: string,
    run: () => void,
  ): Disposable;
  /** Adds a line to the trace, and thus to the digest. */
  note(text: string): void;
  /** Moves the clock on inside an event: the process had no CPU time for so long. */
  stall(forMs: number): void;
  /**
   * Runs events until the promise settles.
   * @throws the error of the promise
   * @throws if no event is left, or if there are too many
   */
  run<T>(promise: Promise<T>): Promise<T>;
  /** A hash of the trace so far. */
  digest(): string;
}

interface Event {
  time: number;
  tie: number;
  readonly order: number;
  readonly process: SimulatedProcess | undefined;
  readonly label: string;
  readonly run: () => void;
  isCancelled: boolean;
}

const byTime = (a: Event, b: Event) => a.time - b.time || a.tie - b.tie || a.order - b.order;

/** @param options.keepsTrace whether `trace` has its lines; the digest does not need them */
export function simulation(
  seed: number,
  options: { readonly keepsTrace?: boolean } = {},
): Simulation {
  let now = startOfTime;
  let events = 0;
  let planned = 0;
  const trace: string[] = [];
  const hash = createHash('sha256');
  const chance = seededRandom(seed * 7 + 1);
  const queue = new TinyQueue<Event>([], byTime);

  /** Many short lines are hashed at once. */
  let unhashed = '';
  const hashed = () => {
    hash.update(unhashed);
    unhashed = '';
    return hash;
  };

  const note = (text: string) => {
    const line = `${(now - startOfTime).toFixed(3)} ${text}`;
    if (options.keepsTrace) trace.push(line);
    unhashed += `${line}\n`;
    if (unhashed.length > hashedLength) hashed();
  };
  const at: Simulation['at'] = (time, process, label, run) => {
    planned += 1;
    const event: Event = {
      time: Math.max(time, now),
      tie: chance(),
      order: planned,
      process,
      label,
      run,
      isCancelled: false,
    };
    queue.push(event);
    return { [Symbol.dispose]: () => void (event.isCancelled = true) };
  };
  const release = (event: Event) => {
    event.time = now;
    event.tie = chance();
    queue.push(event);
  };
  const step = () => {
    const event = queue.pop();
    if (!event) throw new Error('the simulation waits for an event that never comes');
    const { process, label } = event;
    if (event.isCancelled || process?.state === 'dead') return false;
    if (process?.state === 'frozen') {
      process.hold(() => release(event));
      return false;
    }
    now = Math.max(now, event.time);
    events += 1;
    if (events > mostEvents) throw new Error(`the simulation has more than ${mostEvents} events`);
    note(`${process?.name ?? 'world'} ${label}`);
    event.run();
    return true;
  };

  return {
    seed,
    chance,
    drawn: seededRandom(seed * 7 + 2),
    trace,
    get now() {
      return now;
    },
    get events() {
      return events;
    },
    at,
    after: (delayMs, process, label, run) => at(now + Math.max(delayMs, 0), process, label, run),
    note,
    stall: (forMs) => void (now += forMs),
    async run(promise) {
      const state = { isSettled: false };
      const settle = () => void (state.isSettled = true);
      promise.then(settle, settle);
      await drained();
      while (!state.isSettled) if (step()) await drained();
      return promise;
    },
    digest: () => hashed().copy().digest('hex').slice(0, 16),
  };
}

/** Every microtask and tick has run. */
async function drained(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  nextTurn(resolve);
  await promise;
}
