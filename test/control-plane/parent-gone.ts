import { setTimeout as pause } from 'node:timers/promises';

const lookEveryMs = 500;

/** Resolves once the process that started this one has ended, however it did: SIGKILL tells nobody. */
export async function parentGone(): Promise<void> {
  const parent = process.ppid;
  // Whose parent ended has another one from then on.
  while (process.ppid === parent) await pause(lookEveryMs, undefined, { ref: false });
}
