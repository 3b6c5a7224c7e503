import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Cluster } from './cluster.ts';
import { cpuSeconds } from './proc.ts';
import type { Recording, Subject } from './recording.ts';

/** The first message to the process. */
export interface ReplayOrder {
  readonly server: string;
  readonly caData: string;
  readonly token: string;
  readonly recording: Recording;
  readonly cloudLatencyMs: number;
  /** Objects at a time, as the workers of the operator. */
  readonly atOnce: number;
}

/** And then, for each object. */
export type ReplaySubject = Subject & {
  /** Its path. */ readonly object: string;
  readonly resourceVersion: string;
};

export interface Replay extends AsyncDisposable {
  /** Begins with this object, or puts it into the queue. */
  take(subject: ReplaySubject): void;
  cpuSeconds(): Promise<number>;
  /** Rejects when a write is refused: then the figures mean nothing. */
  readonly broken: Promise<never>;
}

export async function startReplay(
  { handle, operatorToken }: Cluster,
  recording: Recording,
  cloudLatencyMs: number,
): Promise<Replay> {
  const child = fork(fileURLToPath(new URL('replay-process.ts', import.meta.url)), {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (words += text));
  const ended = once(child, 'close');
  const broken = ended.then(() => Promise.reject(new Error(`the replay ended: ${words}`)));
  broken.catch(() => undefined);
  const order: ReplayOrder = {
    server: handle.server,
    caData: handle.caData,
    token: operatorToken,
    recording,
    cloudLatencyMs,
    atOnce: 32,
  };
  child.send(order);
  await Promise.race([once(child, 'message'), broken]);
  return {
    take: (subject) => void child.send(subject),
    cpuSeconds: () => cpuSeconds(child.pid ?? 0),
    broken,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
