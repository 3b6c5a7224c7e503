import * as z from 'zod';

/** The memory of a process, as V8 itself reports it. */
export interface Held {
  /** MiB that are still reachable, after a full garbage collection. */
  readonly liveHeapMib: number;
  /** Sockets, timers and other things that keep it alive, by kind. */
  readonly resources: Readonly<Record<string, number>>;
}

const reply = z
  .object({ id: z.number(), result: z.unknown(), error: z.unknown() })
  .partial({ error: true, result: true });
const heapUsage = z.object({ usedSize: z.number() });
const evaluated = z.object({ result: z.object({ value: z.string() }) });
const answerMs = 30_000;

/** Collects the garbage and looks. @param address of the inspector, `ws://…` */
export async function lookInside(address: string): Promise<Held> {
  const socket = new WebSocket(address);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  socket.addEventListener('message', ({ data }) => {
    const parsed = reply.safeParse(JSON.parse(String(data)));
    if (parsed.success) waiting.get(parsed.data.id)?.resolve(parsed.data.result);
  });
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve);
    socket.addEventListener('error', () => reject(new Error(`no inspector at ${address}`)));
  });
  let lastId = 0;
  const ask = async (method: string, params: object = {}) => {
    const id = ++lastId;
    const answer = Promise.withResolvers<unknown>();
    waiting.set(id, answer);
    socket.send(JSON.stringify({ id, method, params }));
    const late = setTimeout(
      () => answer.reject(new Error(`the inspector did not answer ${method}`)),
      answerMs,
    );
    return answer.promise.finally(() => clearTimeout(late));
  };
  try {
    await ask('HeapProfiler.enable');
    // The second collection frees the objects of finalizers.
    for (let round = 0; round < 2; round++) await ask('HeapProfiler.collectGarbage');
    const { usedSize } = heapUsage.parse(await ask('Runtime.getHeapUsage'));
    const { result } = evaluated.parse(
      await ask('Runtime.evaluate', {
        expression: 'JSON.stringify(process.getActiveResourcesInfo())',
      }),
    );
    const kinds = z.array(z.string()).parse(JSON.parse(result.value));
    return { liveHeapMib: usedSize / 2 ** 20, resources: Object.fromEntries(countOf(kinds)) };
  } finally {
    socket.close();
  }
}

function countOf(kinds: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}
