import { setImmediate as nextTurn } from 'node:timers/promises';
import { request } from 'undici';
import * as z from 'zod';
import type { Connection } from './connection.ts';
import { joined } from './exchange.ts';
import { errorOfReply, KubernetesError } from './kubernetes-error.ts';
import {
  acceptOf,
  fieldSelectorOf,
  pathOf,
  resourceKey,
  type ResourceKey,
  type ResourceType,
} from './kubernetes-object.ts';
import { unlessAborted } from './unless-aborted.ts';

/**
 * An event of a watch.
 * - `applied`: the object is new or changed, or exists when the initial list begins.
 * - `deleted`: the object is gone. `object` is its last version.
 * - `bookmark`: it has no object, only the current version of the server. `initialEnd`: the initial
 *   list is complete.
 *
 * `object` is the JSON of the server, not yet parsed.
 */
export type WatchEvent =
  | {
      readonly type: 'applied' | 'deleted';
      readonly key: ResourceKey;
      readonly uid: string | undefined;
      readonly object: unknown;
      readonly resourceVersion: string;
    }
  | { readonly type: 'bookmark'; readonly resourceVersion: string; readonly initialEnd: boolean };

/** The objects of a watch, and where it begins. */
export interface WatchOptions {
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  /** The version after which the watch begins. Undefined: the present version. */
  readonly resourceVersion: string | undefined;
  /** Requests all existing objects first, as events. A bookmark marks their end. */
  readonly sendInitialEvents: boolean;
  /** The server closes the watch after this time. */
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

const frame = z.object({
  type: z.string(),
  object: z.looseObject({
    code: z.number().optional(),
    metadata: z
      .looseObject({
        name: z.string().optional(),
        namespace: z.string().optional(),
        uid: z.string().optional(),
        resourceVersion: z.string().optional(),
        annotations: z.record(z.string(), z.string()).optional(),
      })
      .default({}),
  }),
});

/**
 * Watches a type. Ends when the server closes the stream, as it does every few minutes.
 * @throws {KubernetesError} `gone` when the resourceVersion is too old, `network` when the connection breaks or is
 *   silent for too long
 */
export async function* watch(
  type: ResourceType<unknown>,
  connection: Connection,
  options: WatchOptions,
): AsyncGenerator<WatchEvent> {
  const operation = `watch ${type.plural}`;
  const { dispatcher, headers } = await connection.watches();
  try {
    const begun = request(new URL(joined(connection.server, pathOf(type, options.namespace))), {
      dispatcher,
      method: 'GET',
      query: { ...queryOf(options), ...fieldSelectorOf(type) },
      headers: { ...headers, accept: acceptOf(type, 'object') },
      signal: options.signal,
    });
    const reply = await unlessAborted(begun, options.signal);
    if (reply.statusCode !== 200) {
      if (reply.statusCode === 401) connection.distrust();
      const body = await reply.body.json().catch(() => undefined);
      throw errorOfReply(
        { operation },
        { status: reply.statusCode, body, retryAfter: [reply.headers['retry-after']].flat()[0] },
      );
    }
    for await (const line of linesOf(reply.body)) yield eventOf(operation, line);
  } catch (error) {
    if (error instanceof KubernetesError) throw error;
    throw new KubernetesError({
      operation,
      kind: options.signal.aborted ? 'aborted' : 'network',
      cause: error,
    });
  }
}

function queryOf(options: WatchOptions): Record<string, string> {
  return {
    watch: 'true',
    allowWatchBookmarks: 'true',
    timeoutSeconds: String(options.timeoutSeconds),
    ...(options.labelSelector === undefined ? {} : { labelSelector: options.labelSelector }),
    ...(options.resourceVersion === undefined ? {} : { resourceVersion: options.resourceVersion }),
    ...(options.sendInitialEvents
      ? { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' }
      : {}),
  };
}

const initialEventsEnd = 'k8s.io/initial-events-end';

function eventOf(operation: string, line: string): WatchEvent {
  const { type, object } = frame.parse(JSON.parse(line));
  const { name = '', namespace, uid, resourceVersion = '', annotations } = object.metadata;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'applied', key: resourceKey(namespace, name), uid, object, resourceVersion };
    case 'DELETED':
      return { type: 'deleted', key: resourceKey(namespace, name), uid, object, resourceVersion };
    case 'BOOKMARK':
      return {
        type: 'bookmark',
        resourceVersion,
        initialEnd: annotations?.[initialEventsEnd] === 'true',
      };
    default:
      throw errorOfReply({ operation }, { status: object.code ?? 500, body: object });
  }
}

/** Milliseconds for which the lines of a stream may hold the event loop. */
const turnMs = 5;

/**
 * Splits a stream of bytes into lines. Joins the pieces of a line only once, so that a line in many pieces costs its
 * length. Drops a last line without a line break: the stream was cut in the middle of it. Other work of the process has
 * its turns between the lines: a burst of changes holds up neither the renewal of the lease nor a probe.
 */
export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let pieces: string[] = [];
  let turnBegan = performance.now();
  for await (const chunk of stream) {
    const text = decoder.decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
      pieces.push(text.slice(start, end));
      const line = pieces.join('');
      pieces = [];
      start = end + 1;
      if (line !== '') yield line;
      if (performance.now() - turnBegan < turnMs) continue;
      await nextTurn();
      turnBegan = performance.now();
    }
    if (start < text.length) pieces.push(text.slice(start));
  }
}
