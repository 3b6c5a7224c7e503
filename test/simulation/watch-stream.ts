import type { KubernetesWatch } from './api-server/api-server.ts';
import type { PendingRequest } from './pending-request.ts';
import type { SimulatedProcess } from './process.ts';
import type { Simulation } from './scheduler.ts';
import { connectionLost, stalled } from './socket-error.ts';
import type { Weather } from './weather.ts';

export interface WatchParts {
  readonly simulation: Simulation;
  readonly process: SimulatedProcess | undefined;
  readonly request: PendingRequest;
  readonly label: string;
  /** The weather at this moment. */
  readonly weather: () => Pick<Weather, 'watchLag' | 'watchBreak' | 'watchSilence'>;
}

/** A watch that is open. */
export interface WatchStream {
  /** The connection breaks, after the lines that are in flight. */
  break(): void;
  /** The connection is dead: no line arrives any more, and the client's stall limit ends the watch. */
  silence(): void;
  /** Ends the watch on the server, without a word to the client. */
  close(): void;
}

/** The stall limit of the clients: `stallMs` of src/runtime/manager.ts. */
export const stallMs = 70_000;

/** Sends each line as an event, in order. */
export function watchStream(watch: KubernetesWatch, parts: WatchParts): WatchStream {
  const { simulation, process, request, label, weather } = parts;
  const { chance } = simulation;
  const lagMs = chance() < weather().watchLag ? 500 + chance() * 14_500 : 30;
  const queue: (() => void)[] = [];
  let lastAt = simulation.now;
  let isSilent = false;
  const timers: Disposable[] = [];

  const put = (act: () => void) => {
    if (request.isOver || isSilent) return;
    queue.push(act);
    lastAt = Math.max(lastAt + 0.001, simulation.now + 0.2 + chance() * lagMs);
    // Events of a process that thaws are in any order. The queue keeps that of the connection.
    simulation.at(lastAt, process, `line ${label}`, () =>
      request.inContext(() => queue.shift()?.()),
    );
  };
  const send = (line: string) => {
    put(() => request.data(`${line}\n`));
    if (chance() < weather().watchBreak) stream.break();
    if (chance() < weather().watchSilence) stream.silence();
  };
  const end = () => put(() => request.end());
  const stream: WatchStream = {
    break: () => put(() => request.fail(connectionLost())),
    silence() {
      isSilent = true;
      simulation.after(stallMs, process, `stall ${label}`, () =>
        request.inContext(() => request.fail(stalled())),
      );
    },
    close() {
      closeOnServer();
      for (const timer of timers) timer[Symbol.dispose]();
    },
  };
  request.head(200, { 'content-type': 'application/json' });
  const closeOnServer = watch.open(send, end);
  timers.push(
    simulation.after(watch.timeoutSeconds * 1_000, undefined, `end of ${label}`, () => {
      stream.close();
      end();
    }),
  );
  return stream;
}
