import { AsyncLocalStorage } from 'node:async_hooks';

/**
 * A process of the simulation. Several of them share the Node process: the asynchronous context says to which process
 * a timer or a request belongs.
 */
export interface SimulatedProcess {
  readonly name: string;
  readonly state: 'running' | 'frozen' | 'dead';
  /** Runs a function, and everything that it starts, as this process. */
  run<T>(act: () => T): T;
  /** Drops all events of the process, now and later: nothing that it awaits ever settles. */
  kill(): void;
  /** Holds the events of the process, timers as well as replies, until it thaws. Has no effect unless it runs. */
  freeze(): void;
  /** Releases the held events. Has no effect unless it is frozen. */
  thaw(): void;
  /** Keeps an event of a frozen process. @param release puts the event back into the schedule */
  hold(release: () => void): void;
}

const context = new AsyncLocalStorage<SimulatedProcess | undefined>();

/** The process whose code runs now. Undefined: the world, such as the story and the servers. */
export function currentProcess(): SimulatedProcess | undefined {
  return context.getStore();
}

/** Runs a function, and everything that it starts, as part of the world. */
export function outsideProcesses<T>(act: () => T): T {
  return context.run(undefined, act);
}

export function simulatedProcess(name: string): SimulatedProcess {
  let state: SimulatedProcess['state'] = 'running';
  let held: (() => void)[] = [];
  const made: SimulatedProcess = {
    name,
    get state() {
      return state;
    },
    run: (act) => context.run(made, act),
    kill() {
      state = 'dead';
      held = [];
    },
    freeze() {
      if (state === 'running') state = 'frozen';
    },
    thaw() {
      if (state !== 'frozen') return;
      state = 'running';
      const released = held;
      held = [];
      for (const release of released) release();
    },
    hold: (release) => void held.push(release),
  };
  return made;
}
