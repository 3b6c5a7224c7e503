import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { freePort } from '../../test/control-plane/free-port.ts';

/** A registry on a free port of this machine, which ends with the scope. */
export interface LocalRegistry extends AsyncDisposable {
  /** Such as `localhost:41234`. */
  readonly host: string;
}

/**
 * Starts the registry of crane.
 * @param folder where the registry keeps blobs
 * @param path the `PATH` with crane
 */
export async function startLocalRegistry(folder: string, path: string): Promise<LocalRegistry> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const child = spawn('crane', ['registry', 'serve', '--address', address, '--disk', folder], {
    stdio: 'ignore',
    env: { ...process.env, PATH: path },
  });
  const ended = once(child, 'close');
  for (let tries = 0; !(await answers(`http://${address}/v2/`)); tries += 1) {
    if (tries === 100 || child.exitCode !== null)
      throw new Error(`the registry of crane does not answer on ${address}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    host: `localhost:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
