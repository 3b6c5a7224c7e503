/**
 * Makes the writes of a recording for each object in turn, and nothing else: no watch, no cache, no decision, no cloud.
 * Runs in an own process, as the operator does, and ends with its parent.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import * as z from 'zod';
import { objectOf, writeFor, type Version, type Write } from './recording.ts';
import type { ReplayOrder, ReplaySubject } from './replay.ts';

const answered = z.object({
  metadata: z.object({ name: z.string(), uid: z.string(), resourceVersion: z.string() }),
});

function replayer({
  server,
  caData,
  token,
  recording,
  cloudLatencyMs,
  atOnce,
}: ReplayOrder): (subject: ReplaySubject) => void {
  const dispatcher = new Agent({
    allowH2: false,
    pipelining: 1,
    connect: { ca: Buffer.from(caData, 'base64') },
  });
  const waiting: (() => Promise<void>)[] = [];
  let working = 0;
  const next = () => {
    while (working < atOnce) {
      const work = waiting.shift();
      if (!work) return;
      working += 1;
      void work().finally(() => {
        working -= 1;
        next();
      });
    }
  };
  const queue = (work: () => Promise<void>) => {
    waiting.push(work);
    next();
  };
  const send = async ({
    method,
    path,
    contentType,
    body,
  }: Write): Promise<{ readonly object: string; readonly version: Version }> => {
    const reply = await request(new URL(path, server), {
      dispatcher,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': contentType,
        accept: 'application/json',
      },
      body,
    });
    const text = await reply.body.text();
    if (reply.statusCode >= 300) throw new Error(`${method} ${path}: ${reply.statusCode} ${text}`);
    const { name, uid, resourceVersion } = answered.parse(JSON.parse(text)).metadata;
    return {
      object: method === 'POST' ? `${objectOf(path)}/${name}` : objectOf(path),
      version: { uid, resourceVersion },
    };
  };
  return ({ object, resourceVersion, ...subject }) => {
    const versions = new Map<string, Version>([[object, { uid: subject.uid, resourceVersion }]]);
    const make = async (write: Write) => {
      const made = await send(
        writeFor(
          write,
          recording,
          subject,
          versions.get(objectOf(writeFor(write, recording, subject, undefined).path)),
        ),
      );
      versions.set(made.object, made.version);
    };
    const part = (isAfterCloud: boolean) => async () => {
      const events: Promise<void>[] = [];
      for (const write of recording.writes.filter((each) => each.isAfterCloud === isAfterCloud)) {
        const making = make(write);
        if (write.isEvent) events.push(making);
        else await making;
      }
      await Promise.all(events);
    };
    // Who waits for the cloud holds no worker.
    queue(async () => {
      const begun = performance.now();
      await part(false)();
      void pause(Math.max(begun + cloudLatencyMs - performance.now(), 0)).then(() =>
        queue(part(true)),
      );
    });
  };
}

let replay: ((subject: ReplaySubject) => void) | undefined;
process.on('message', (message: ReplayOrder | ReplaySubject) => {
  if ('recording' in message) {
    replay = replayer(message);
    process.send?.('ready');
  } else replay?.(message);
});
process.once('disconnect', () => process.exit());
process.on('SIGINT', () => undefined);
