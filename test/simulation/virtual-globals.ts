import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import { currentProcess } from './process.ts';
import { type Simulation, startOfTime } from './scheduler.ts';

let active: Simulation | undefined;

/** Gives time and chance of this Node process to a simulation. The timers of an earlier simulation never fire. */
export function enter(simulation: Simulation): void {
  active = simulation;
}

/** @throws if none was entered */
export function activeSimulation(): Simulation {
  if (!active) throw new Error('no simulation was entered: virtual time does not pass');
  return active;
}

const realNow = performance.now.bind(performance);

/** Milliseconds of real time, to measure the simulation itself. */
export function realMilliseconds(): number {
  return realNow();
}

/** How far `performance.now()` is at the begin of a simulation: a young process has a small, positive value. */
const steadyStart = 1_000;

/**
 * Replaces the globals that read time or chance. Must be called before the first import from `src/`, since a module may
 * keep the old functions.
 * @throws if a library that reads the time was imported before
 */
export function installVirtualGlobals(): void {
  // Undici and zod leave a trace in the globals. All of src/ that reads the time needs them.
  for (const trace of [Symbol.for('undici.globalDispatcher.1'), '__zod_globalRegistry'])
    if (Object.hasOwn(globalThis, trace))
      throw new Error(`import virtual-globals.ts before src/: ${String(trace)} is there`);
  replace(globalThis, {
    Date: VirtualDate,
    setTimeout: (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) =>
      new VirtualTimer(delayMs, () => run(...args), false),
    setInterval: (run: (...args: unknown[]) => void, delayMs?: number, ...args: unknown[]) =>
      new VirtualTimer(delayMs, () => run(...args), true),
    setImmediate: (run: (...args: unknown[]) => void, ...args: unknown[]) =>
      new VirtualTimer(0, () => run(...args), false),
    clearTimeout: clear,
    clearInterval: clear,
    clearImmediate: clear,
  });
  replace(performance, { now: () => (active?.now ?? startOfTime) - startOfTime + steadyStart });
  replace(Math, { random: () => activeSimulation().drawn() });
  replace(AbortSignal, {
    timeout(delayMs: number) {
      const abort = new AbortController();
      const late = new DOMException('The operation was aborted due to timeout', 'TimeoutError');
      setTimeout(() => abort.abort(late), delayMs);
      return abort.signal;
    },
  });
  replace(timersPromises, {
    setTimeout: pause,
    // Code takes no virtual time, so a turn for other work is no event.
    setImmediate: (value?: unknown) => Promise.resolve(value),
  });
  replace(crypto, { randomInt, randomBytes, randomUUID });
  syncBuiltinESMExports();
}

function replace(owner: object, members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
}

class VirtualDate extends Date {
  constructor(...args: readonly [] | readonly [string | number | Date]) {
    super(args.length === 0 ? VirtualDate.now() : args[0]);
  }
  static override now(): number {
    return Math.floor(active?.now ?? startOfTime);
  }
}

/** A timer of Node, as far as our code and our libraries use it. */
class VirtualTimer {
  #planned: Disposable | undefined;
  readonly #delayMs: number;
  readonly #run: () => void;
  readonly #repeats: boolean;
  readonly #simulation = activeSimulation();
  readonly #process = currentProcess();
  readonly #inContext = AsyncLocalStorage.snapshot();

  constructor(delayMs: number | undefined, run: () => void, repeats: boolean) {
    // As Node: no timer fires in the same turn.
    this.#delayMs = Math.max(Number.isFinite(delayMs) ? Number(delayMs) : 1, 1);
    this.#run = run;
    this.#repeats = repeats;
    this.#plan();
  }
  #plan(): void {
    this.#planned = this.#simulation.after(this.#delayMs, this.#process, 'timer', () => {
      this.#planned = undefined;
      if (this.#repeats) this.#plan();
      this.#inContext(this.#run);
    });
  }
  close(): this {
    this.#planned?.[Symbol.dispose]();
    this.#planned = undefined;
    return this;
  }
  refresh(): this {
    this.close();
    this.#plan();
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  [Symbol.dispose](): void {
    this.close();
  }
}

function clear(timer: unknown): void {
  if (timer instanceof VirtualTimer) timer.close();
}

/** As the function of `node:timers/promises`. */
async function pause(
  delayMs = 0,
  value?: unknown,
  { signal }: { readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  signal?.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const timer = setTimeout(() => resolve(value), delayMs);
  const abort = () => {
    clearTimeout(timer);
    reject(new DOMException('The operation was aborted', 'AbortError'));
  };
  signal?.addEventListener('abort', abort, { once: true });
  try {
    return await promise;
  } finally {
    signal?.removeEventListener('abort', abort);
  }
}

function randomInt(low: number, high?: number): number {
  const [least, end] = high === undefined ? [0, low] : [low, high];
  return least + Math.floor(activeSimulation().drawn() * (end - least));
}

function randomBytes(size: number): Buffer {
  return Buffer.from(Array.from({ length: size }, () => randomInt(256)));
}

function randomUUID(): string {
  return `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;
}

function hex(length: number): string {
  return Array.from({ length }, () => randomInt(16).toString(16)).join('');
}
