import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import type { Counts } from './counts.ts';

/** The simulator, in an own process, with a single project: READY after a second, and deletions take effect at once. */
export interface Cloud extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  /** Calls that arrived so far, by operation. */
  calls(): Promise<Counts>;
  force(id: string, status: string): Promise<void>;
}

/** How long the cloud works on a change, but for a deletion, which it does at once. */
export const cloudLatencyMs = 1_000;

const greeting = z.object({ url: z.string(), id: z.string(), apiKey: z.string() });
const callsReply = z.object({ calls: z.record(z.string(), z.number()) });

export async function startCloud(): Promise<Cloud> {
  const child = fork(
    fileURLToPath(new URL('simulator-process.ts', import.meta.url)),
    [String(cloudLatencyMs)],
    { execArgv: [] },
  );
  const ended = once(child, 'exit');
  const message: unknown = await Promise.race([
    once(child, 'message').then(([first]: unknown[]) => first),
    ended.then(() => Promise.reject(new Error('the simulator did not start'))),
  ]);
  const { url, id, apiKey } = greeting.parse(message);
  const admin = `${url}/_simulator/projects/${id}`;
  return {
    url,
    apiKey,
    async calls() {
      return callsReply.parse(await (await fetch(`${admin}/calls`)).json()).calls;
    },
    async force(serviceId, status) {
      const body = JSON.stringify({ kind: 'service', id: serviceId, status });
      const reply = await fetch(`${admin}/force`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      if (!reply.ok) throw new Error(`the simulator refused: ${await reply.text()}`);
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
