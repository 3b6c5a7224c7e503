import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and fails like a network does. */
export interface TcpProxy extends AsyncDisposable {
  readonly url: string;
  /** Connections that were accepted so far. */
  readonly accepted: number;
  /** Forwards nothing more on the open connections, and closes none of them. New connections work. */
  silenceOpen(): void;
  /** Accepts connections and forwards nothing. */
  silenceNew(): void;
  /** Breaks all connections and accepts no new connections. */
  cut(): Promise<void>;
  /** Listens again, on the same port. */
  mend(): Promise<void>;
}

export async function tcpProxy(server: string): Promise<TcpProxy> {
  const target = Number(new URL(server).port);
  const open = new Set<{ readonly near: Socket; readonly far: Socket }>();
  let accepted = 0;
  let forwardsNew = true;
  const listener = createServer((near) => {
    accepted += 1;
    const far = connect(target, '127.0.0.1');
    const pair = { near, far };
    open.add(pair);
    for (const socket of [near, far]) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        open.delete(pair);
        near.destroy();
        far.destroy();
      });
    }
    if (forwardsNew) near.pipe(far).pipe(near);
  });
  const listen = async (port: number): Promise<number> => {
    listener.listen(port, '127.0.0.1');
    await once(listener, 'listening');
    const address = listener.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port');
    return address.port;
  };
  const port = await listen(0);
  const cut = async () => {
    const closed = listener.listening ? once(listener, 'close') : undefined;
    listener.close();
    for (const { near, far } of open) {
      near.destroy();
      far.destroy();
    }
    await closed;
  };
  return {
    url: `https://127.0.0.1:${port}`,
    get accepted() {
      return accepted;
    },
    silenceOpen() {
      for (const { near, far } of open) {
        near.unpipe(far).pause();
        far.unpipe(near).pause();
      }
    },
    silenceNew() {
      forwardsNew = false;
    },
    cut,
    async mend() {
      await listen(port);
    },
    [Symbol.asyncDispose]: cut,
  };
}
