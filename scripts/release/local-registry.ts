import { freePort } from '../../test/control-plane/free-port.ts';
import { ServerGuard } from '../../test/control-plane/server-guard.ts';
import { until } from '../../test/support/until.ts';

/** A registry on a free port of this machine. It ends with the scope, and with this process. */
export interface LocalRegistry extends AsyncDisposable {
  /** Such as `localhost:41234`. */
  readonly host: string;
}

/**
 * Starts the registry of crane. Its blobs are in the folder of its guard.
 * @param path the `PATH` with crane
 */
export async function startLocalRegistry(path: string): Promise<LocalRegistry> {
  await using stack = new AsyncDisposableStack();
  const guard = await ServerGuard.start(100);
  stack.defer(() => guard.stop());
  const port = await freePort();
  const address = `127.0.0.1:${port}`;
  const serve = ['crane', 'registry', 'serve', '--address', address, '--disk', '.'];
  await guard.launch('crane', 'env', [`PATH=${path}`, ...serve]);
  const look = async () => {
    if (await answers(`http://${address}/v2/`)) return true;
    if (guard.isRunning('crane')) return false;
    throw await guard.failure('crane', `ended before it answered on ${address}`);
  };
  await until(`the registry of crane to answer on ${address}`, look);
  const owned = stack.move();
  return {
    host: `localhost:${port}`,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  );
}
