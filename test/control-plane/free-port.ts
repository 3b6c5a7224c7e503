import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

// Below the ports that systems hand out to outgoing connections, so that a port is still free when its server comes back to it.
const lowest = 20_000;
const highest = 30_000;

/** Whether a server could listen on this port of 127.0.0.1 now. */
export async function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    probe.close();
  }
}

/** A port of 127.0.0.1 that is free at the moment; another process may still be quicker. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, highest);
    if (await isFree(port)) return port;
  }
}

/**
 * Whether a process listens on this port of 127.0.0.1. Unlike `isFree` it does not get in the way of a server that is
 * about to.
 */
export async function isListening(port: number): Promise<boolean> {
  const probe = connect(port, '127.0.0.1');
  try {
    await once(probe, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    probe.destroy();
  }
}
