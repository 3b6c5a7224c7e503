import * as z from 'zod';
import { type JsonObject, jsonOf } from './json.ts';
import { Namespaces } from './namespaces.ts';
import { Definitions } from './definitions.ts';
import { kinds, namespaces } from './kinds.ts';
import { Lists } from './list.ts';
import { Objects, type Preconditions, type Write } from './objects.ts';
import { Refusal } from './refusal.ts';
import {
  authorize,
  bodyOf,
  type KubernetesRequest,
  objectIn,
  targetOf,
  type Target,
} from './request.ts';
import { shownAs } from './shown.ts';
import { Store } from './store.ts';
import type { StoredObject } from './stored-object.ts';
import { Watches } from './watch.ts';

export type { KubernetesRequest } from './request.ts';

/** A reply with its whole body. */
export interface KubernetesReply {
  readonly type: 'reply';
  readonly status: number;
  readonly body: string;
}

/**
 * A watch: the server calls `send` with each line (JSON and a line break), beginning during `open`,
 * until the returned function is called. The server calls `end` when it closes the watch itself.
 */
export interface KubernetesWatch {
  readonly type: 'watch';
  open(send: (line: string) => void, end: () => void): () => void;
  /** The caller closes the watch after this time. */
  readonly timeoutSeconds: number;
}

/** An API server in memory, with the definitions in crds/ and the policies of the chart. It has no time of its own. */
export interface MemoryApiServer {
  /** Answers a request at once. A watch begins with its `open`. */
  answer(request: KubernetesRequest): KubernetesReply | KubernetesWatch;
  /** All objects of a kind, without a request. Each version of an object is another value. */
  stored(
    kind: { readonly group: string; readonly plural: string },
    namespace?: string,
  ): readonly StoredObject[];
  /**
   * Does the work of the namespace controller: deletes the objects in namespaces that are being
   * deleted, and then the empty namespaces. Call it again while it returns true.
   * @returns whether a namespace is still being deleted
   */
  sweepNamespaces(): boolean;
  /** The CustomResourceDefinitions, which no request changes. */
  readonly definitions: Pick<Definitions, 'install' | 'delete' | 'sweep'>;
  /** Sends a bookmark to each watch that allows bookmarks, as a server does every minute. */
  sendBookmarks(): void;
  /** Forgets the history: a watch or a page of an earlier version is answered with 410. */
  compact(): void;
}

/** Seconds for which a server keeps a watch that names no time. */
const watchSeconds = 1_800;

/** Makes an API server. Its namespaces are default, kube-system, managed-db-system and managed-db-ledger. */
export function memoryApiServer(options: { now(): number; newUid(): string }): MemoryApiServer {
  const store = new Store();
  const watches = new Watches(store);
  const lists = new Lists(store);
  const objects = new Objects(store, options);
  const controller = new Namespaces(store, objects);
  for (const name of ['default', 'kube-system', 'managed-db-system'])
    objects.create(setUp, { metadata: { name } });
  objects.create(setUp, {
    metadata: { name: 'managed-db-ledger', labels: { 'managed-db.io/ledger': 'true' } },
  });
  const definitions = new Definitions(store, objects, watches, options);
  definitions.install();
  return {
    answer(request) {
      try {
        return answered(request, { watches, lists, objects, definitions });
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { type: 'reply', status: error.status, body: JSON.stringify(error.body) };
      }
    },
    stored({ group, plural }, namespace) {
      const found = kinds.find((each) => each.group === group && each.plural === plural);
      return (found ? store.all(found) : []).filter(
        ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
      );
    },
    sweepNamespaces: () => controller.sweep(),
    definitions,
    sendBookmarks: () => watches.sendBookmarks(),
    compact: () => store.compact(),
  };
}

const setUp: Write = {
  kind: namespaces,
  namespace: undefined,
  subresource: undefined,
  user: 'admin',
  fieldManager: '',
  isDryRun: false,
};

interface Parts {
  readonly watches: Watches;
  readonly lists: Lists;
  readonly objects: Objects;
  readonly definitions: Definitions;
}

function reply(body: object, status = 200): KubernetesReply {
  return { type: 'reply', status, body: jsonOf(body) };
}

function answered(request: KubernetesRequest, parts: Parts): KubernetesReply | KubernetesWatch {
  const target = targetOf(request.path);
  authorize(request, target);
  const { kind, namespace, name, query } = target;
  if (!parts.definitions.serves(kind))
    return { type: 'reply', status: 404, body: '404 page not found\n' };
  const shown = shownAs(request.accept);
  if (request.method === 'GET' && query.get('watch') === 'true') {
    const scope = { kind, namespace, query, shown };
    return {
      type: 'watch',
      timeoutSeconds: Number(query.get('timeoutSeconds') ?? watchSeconds),
      open: (send, end) => parts.watches.open(scope, send, end),
    };
  }
  if (request.method === 'GET' && name === undefined)
    return reply(parts.lists.page(kind, namespace, query, shown));
  if (request.method === 'GET' && name !== undefined)
    return reply(shown.object(parts.objects.read(kind, namespace, name)));
  if (kind.isReadOnly)
    throw new Refusal('MethodNotAllowed', `the server in memory changes no ${kind.plural}`);
  const write = writeOf(request, target);
  if (request.method === 'POST' && name === undefined) {
    parts.definitions.requireLasting(kind);
    return reply(shown.object(parts.objects.create(write, objectIn(request))), 201);
  }
  if (name === undefined || request.method === 'POST')
    throw new Refusal(
      'MethodNotAllowed',
      'the server does not allow this method on the requested resource',
    );
  switch (request.method) {
    case 'PUT': {
      const { object, isNew } = parts.objects.replace(write, name, objectIn(request));
      return reply(shown.object(object), isNew ? 201 : 200);
    }
    case 'PATCH': {
      const { object, isNew } = parts.objects.patch(write, name, {
        contentType: request.contentType ?? '',
        content: bodyOf(request),
      });
      return reply(shown.object(object), isNew ? 201 : 200);
    }
    case 'DELETE': {
      const { object, isGone } = parts.objects.delete(write, name, preconditionsOf(request));
      return reply(isGone ? goneStatus(target, object.metadata.uid) : shown.object(object));
    }
    default:
      throw new Refusal(
        'MethodNotAllowed',
        'the server does not allow this method on the requested resource',
      );
  }
}

function writeOf(
  { user }: KubernetesRequest,
  { kind, namespace, subresource, query }: Target,
): Write {
  return {
    kind,
    namespace,
    subresource,
    user,
    fieldManager: query.get('fieldManager') ?? '',
    isDryRun: query.get('dryRun') === 'All',
  };
}

const deleteOptions = z.object({
  preconditions: z
    .object({ uid: z.string().nullish(), resourceVersion: z.string().nullish() })
    .nullish(),
  dryRun: z.array(z.literal('All')).nullish(),
});
function preconditionsOf(request: KubernetesRequest): Preconditions {
  if (request.body === undefined || request.body === '') return {};
  const parsed = deleteOptions.safeParse(bodyOf(request));
  if (!parsed.success) throw new Refusal('BadRequest', 'the body is no DeleteOptions');
  return parsed.data.preconditions ?? {};
}

/** The answer to the deletion of an object that is gone. */
function goneStatus({ kind, name }: Target, uid: string): JsonObject {
  const { group, plural } = kind;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(group === '' ? {} : { group }), kind: plural, uid },
  };
}
