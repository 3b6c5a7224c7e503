import { randomUUID } from 'node:crypto';
import { link, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const heartbeatMs = 5_000;
const staleAfterMs = 30_000;

/**
 * Waits until no other process holds `path`, then holds it during `body`. It saves a second build and guarantees
 * nothing: two holders at once (a lock taken over just when its holder wakes up again) build twice, each in an own
 * folder.
 * @param onWait called about twice a second while another process holds it
 */
export async function whileLocked(
  path: string,
  onWait: (holder: string) => void,
  body: () => Promise<void>,
): Promise<void> {
  await acquire(path, onWait);
  const heartbeat = setInterval(
    () => void utimes(path, new Date(), new Date()).catch(() => undefined),
    heartbeatMs,
  );
  try {
    await body();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
}

async function acquire(path: string, onWait: (holder: string) => void): Promise<void> {
  const own = `${path}.${randomUUID()}`;
  await writeFile(own, String(process.pid));
  try {
    // A link appears at once and with its content, unlike a file that is created and then written.
    while (!(await tryLink(own, path))) {
      const holder = await readFile(path, 'utf8').catch(() => undefined);
      if (holder === undefined) continue;
      if (await isStale(path, holder)) await rm(path, { force: true });
      else {
        onWait(holder);
        await pause(500);
      }
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string, holder: string): Promise<boolean> {
  if (!isAlive(Number(holder))) return true;
  const info = await stat(path).catch(() => undefined);
  // The number of a process that ended may belong to another process by now: then the heartbeat is missing.
  return info !== undefined && Date.now() - info.mtimeMs > staleAfterMs;
}

/** Also for a process of another user, which cannot be signalled but is there. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
