import * as z from 'zod';
import type { Connection } from './connection.ts';
import { type Call, exchange, type RequestOptions } from './exchange.ts';
import { KubernetesError, unlessNotFound } from './kubernetes-error.ts';
import {
  acceptOf,
  fieldSelectorOf,
  parseKey,
  pathOf,
  type ResourceKey,
  type ResourceType,
} from './kubernetes-object.ts';
import { redacted, valuesOfSecret } from './redacted.ts';

/** The options of a request that writes. */
export interface WriteOptions extends RequestOptions {
  /** The server checks everything, but stores nothing. */
  readonly dryRun?: boolean;
}

/** The objects of a list, and the page. */
export interface ListOptions extends RequestOptions {
  /** Undefined: all namespaces, or the cluster. */
  readonly namespace?: string | undefined;
  /** In the syntax of Kubernetes, such as `app=shop,tier`. Undefined: all objects. */
  readonly labelSelector?: string | undefined;
  /** The number of objects on a page. Undefined: the whole list is a page. */
  readonly limit?: number;
  /** The `continue` of the page before. Undefined: the first page. */
  readonly continue?: string | undefined;
}

/**
 * A list, or a page of it, consistently at its `resourceVersion`. The first page is the newest
 * version.
 */
export interface List<T> {
  readonly items: readonly T[];
  /** Errors of the listed objects that do not parse. These objects exist: callers that conclude an absence must consider them. */
  readonly unreadable: readonly KubernetesError[];
  readonly resourceVersion: string;
  /** The way to the next page. Undefined: this page is the last. */
  readonly continue: string | undefined;
}

/**
 * A client of the API server. Every method sends a single request, never repeats it, and throws {@link
 * KubernetesError}. Replies go through the type's `parse`. A list in which an object does not parse still returns the
 * other objects.
 */
export interface KubernetesClient {
  /**
   * Reads an object. Undefined when there is no such object.
   * @throws {KubernetesError} `placeMissing` when a 404 is not about the object, such as without
   *   the definition of its kind
   */
  get<T>(type: ResourceType<T>, key: ResourceKey, options?: RequestOptions): Promise<T | undefined>;
  list<T>(type: ResourceType<T>, options?: ListOptions): Promise<List<T>>;
  create<T>(
    type: ResourceType<T>,
    namespace: string | undefined,
    body: unknown,
    options?: WriteOptions,
  ): Promise<T>;
  /** Sends a JSON merge patch. With `metadata.uid` and `metadata.resourceVersion`, it changes only exactly that version. */
  patch<T>(
    type: ResourceType<T>,
    key: ResourceKey,
    body: unknown,
    options?: WriteOptions & { readonly subresource?: 'status' },
  ): Promise<T>;
  replace<T>(
    type: ResourceType<T>,
    key: ResourceKey,
    body: unknown,
    options?: WriteOptions,
  ): Promise<T>;
  /**
   * @returns the object, if finalizers hold it; undefined when it is gone
   * @throws {KubernetesError} `notFound` when it was gone before, `conflict` when its uid or resourceVersion differs
   */
  delete<T>(
    type: ResourceType<T>,
    key: ResourceKey,
    options?: RequestOptions & { readonly uid?: string; readonly resourceVersion?: string },
  ): Promise<T | undefined>;
}

/** Milliseconds, real time. A read of a single object that hangs must not hold the worker of a visit for long. */
const readTimeoutMs = 10_000;
const mergePatch = 'application/merge-patch+json';
/** The answer to a DELETE: the object if finalizers hold it, otherwise its last version or a Status. */
const heldObject = z.object({
  metadata: z.object({
    uid: z.string(),
    deletionTimestamp: z.string(),
    finalizers: z.array(z.string()).min(1),
  }),
});
const listReply = z.object({
  metadata: z.object({ resourceVersion: z.string().default(''), continue: z.string().optional() }),
  items: z.array(z.unknown()).nullish(),
});

/** The connection of a client, and the identity of its writes. */
export interface KubernetesClientOptions {
  readonly connection: Connection;
  readonly fieldManager: string;
  readonly userAgent: string;
  /** Called when a write goes to the socket. A write that is not allowed fails as `aborted`. Default: all are allowed. */
  readonly mayWrite?: () => boolean;
}

/** Makes a client of the API server. It sends no request by itself. */
export function kubernetesClient(options: KubernetesClientOptions): KubernetesClient {
  const { fieldManager } = options;
  const send = sender(options);
  const ask = async <T>(type: ResourceType<T>, call: Omit<Call, 'accept' | 'clean'>): Promise<T> =>
    parsed(
      type,
      call.operation,
      await send({ accept: acceptOf(type, 'object'), clean: cleanFor(type, call.body), ...call }),
    );
  const writeQuery = (more: WriteOptions = {}) => ({
    fieldManager,
    ...(more.dryRun === true ? { dryRun: 'All' } : {}),
  });
  return {
    async get(type, key, more) {
      const { namespace, name } = parseKey(key);
      const path = pathOf(type, namespace, name);
      const call = {
        method: 'GET',
        path,
        operation: `get ${type.plural} ${key}`,
        about: { plural: type.plural, namespace, name },
      } as const;
      return unlessNotFound(ask(type, { ...call, timeoutMs: readTimeoutMs, ...more }));
    },
    list: (type, more = {}) => listed(type, more, send),
    create(type, namespace, body, more) {
      const operation = `create ${type.plural} in ${namespace ?? 'the cluster'}`;
      return ask(type, {
        method: 'POST',
        path: pathOf(type, namespace),
        query: writeQuery(more),
        body,
        operation,
        ...more,
      });
    },
    patch(type, key, body, more) {
      const { namespace, name } = parseKey(key);
      const path = pathOf(type, namespace, name, more?.subresource);
      const operation = `patch ${type.plural} ${key}${more?.subresource ? `/${more.subresource}` : ''}`;
      const call = {
        method: 'PATCH',
        path,
        operation,
        about: { plural: type.plural, namespace, name },
      } as const;
      return ask(type, {
        ...call,
        query: writeQuery(more),
        body,
        contentType: mergePatch,
        ...more,
      });
    },
    replace(type, key, body, more) {
      const { namespace, name } = parseKey(key);
      const path = pathOf(type, namespace, name);
      const call = {
        method: 'PUT',
        path,
        operation: `replace ${type.plural} ${key}`,
        about: { plural: type.plural, namespace, name },
      } as const;
      return ask(type, { ...call, query: writeQuery(more), body, ...more });
    },
    async delete(type, key, more) {
      const { namespace, name } = parseKey(key);
      const preconditions = compact({ uid: more?.uid, resourceVersion: more?.resourceVersion });
      const body = {
        kind: 'DeleteOptions',
        apiVersion: 'v1',
        ...(Object.keys(preconditions).length > 0 ? { preconditions } : {}),
      };
      const operation = `delete ${type.plural} ${key}`;
      const about = { plural: type.plural, namespace, name };
      const call = {
        method: 'DELETE',
        path: pathOf(type, namespace, name),
        body,
        operation,
        about,
      } as const;
      const reply = await send({
        ...call,
        accept: acceptOf(type, 'object'),
        clean: cleanFor(type, undefined),
        ...more,
      });
      const held = heldObject.safeParse(reply);
      return held.success ? parsed(type, operation, reply) : undefined;
    },
  };
}

function sender({
  connection,
  userAgent,
  mayWrite = () => true,
}: KubernetesClientOptions): (call: Call) => Promise<unknown> {
  return async (call) => {
    const { dispatcher, headers } = await connection.calls().catch((error: unknown) => {
      throw new KubernetesError({ operation: call.operation, kind: 'unauthorized', cause: error });
    });
    const mayBeSent = () => call.method === 'GET' || mayWrite();
    return exchange(
      call,
      { dispatcher, headers: { ...headers, 'user-agent': userAgent } },
      connection,
      mayBeSent,
    );
  };
}

const pageSize = 500;

/**
 * Reads a whole list, page by page. The pages are consistent at the returned `resourceVersion`.
 * @throws {KubernetesError} also `gone`, when the first page expired before the last
 */
export async function listPages<T>(
  client: Pick<KubernetesClient, 'list'>,
  type: ResourceType<T>,
  options: ListOptions,
) {
  const items: T[] = [];
  let page: string | undefined;
  let resourceVersion = '';
  do {
    const list = await client.list(type, { ...options, limit: pageSize, continue: page });
    items.push(...list.items);
    ({ resourceVersion, continue: page } = list);
  } while (page !== undefined);
  return { items, resourceVersion };
}

async function listed<T>(
  type: ResourceType<T>,
  more: ListOptions,
  send: (call: Call) => Promise<unknown>,
): Promise<List<T>> {
  const query = compact({
    ...fieldSelectorOf(type),
    labelSelector: more.labelSelector,
    limit: more.limit?.toString(),
    continue: more.continue,
  });
  const operation = `list ${type.plural}`;
  const received = await send({
    method: 'GET',
    path: pathOf(type, more.namespace),
    query,
    accept: acceptOf(type, 'list'),
    operation,
    ...more,
  });
  const reply = parsed(listReply, operation, received);
  return {
    ...parsedEach(type, operation, reply.items ?? []),
    resourceVersion: reply.metadata.resourceVersion,
    continue: reply.metadata.continue === '' ? undefined : reply.metadata.continue,
  };
}

/** Error messages about a Secret may quote its content. */
function cleanFor(type: ResourceType<unknown>, body: unknown): (text: string) => string {
  const isSecret = type.group === '' && type.plural === 'secrets';
  return isSecret ? (text) => redacted(text, valuesOfSecret(body)) : (text) => text;
}

function parsed<T>(type: { parse(value: unknown): T }, operation: string, value: unknown): T {
  try {
    return type.parse(value);
  } catch (error) {
    throw new KubernetesError({ operation, kind: 'unreadable', cause: error });
  }
}

/** Leaves out objects that do not parse, so that the other objects remain usable. */
function parsedEach<T>(
  type: ResourceType<T>,
  operation: string,
  values: readonly unknown[],
): Pick<List<T>, 'items' | 'unreadable'> {
  const items: T[] = [];
  const unreadable: KubernetesError[] = [];
  for (const value of values) {
    try {
      items.push(type.parse(value));
    } catch (error) {
      unreadable.push(new KubernetesError({ operation, kind: 'unreadable', cause: error }));
    }
  }
  return { items, unreadable };
}

function compact(values: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
