import { setTimeout as pause } from 'node:timers/promises';

const lookEveryMs = 500;

/** Resolves once the parent of this process has ended, however it did: SIGKILL sends no message. */
export async function parentGone(): Promise<void> {
  const parent = process.ppid;
  // A process whose parent ended has another parent from then on.
  while (process.ppid === parent) await pause(lookEveryMs, undefined, { ref: false });
}
