import { Refusal } from './refusal.ts';
import { type JsonObject, jsonOf } from './json.ts';
import type { Kind } from './kinds.ts';
import { selected } from './selector.ts';
import type { Shown } from './shown.ts';
import { atRevision, type Change, type Store } from './store.ts';
import type { StoredObject } from './stored-object.ts';

/** The objects of a watch and the form of its lines. */
export interface WatchScope {
  readonly kind: Kind;
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly query: URLSearchParams;
  readonly shown: Shown;
}

/** The watches of the server, for bookmarks. */
export class Watches {
  readonly #store: Store;
  readonly #bookmarks = new Set<() => void>();
  readonly #open = new Set<{ readonly kind: Kind; readonly end: () => void }>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Sends a bookmark to each open watch that allows bookmarks. */
  sendBookmarks(): void {
    for (const send of this.#bookmarks) send();
  }

  /** Ends all watches of a kind. */
  end(kind: Kind): void {
    for (const each of [...this.#open].filter((watch) => watch.kind === kind)) each.end();
  }

  /** Begins a watch: sends the lines that the server has, then a line for each change. */
  open(scope: WatchScope, send: (line: string) => void, end: () => void): () => void {
    const { kind, namespace, query, shown } = scope;
    const isSelected = selected(query);
    const isIn = (object: StoredObject | undefined): object is StoredObject =>
      object !== undefined &&
      (namespace === undefined || object.metadata.namespace === namespace) &&
      isSelected(object);
    const tell = (type: string, object: JsonObject) =>
      send(`{"type":"${type}","object":${jsonOf(object)}}\n`);
    const take = ({ before, after, revision }: Change) => {
      if (isIn(after)) tell(isIn(before) ? 'MODIFIED' : 'ADDED', shown.object(after));
      else if (isIn(before)) tell('DELETED', shown.object(atRevision(before, revision)));
    };
    const bookmark = (annotations?: JsonObject) =>
      tell('BOOKMARK', bookmarkOf(scope, this.#store.revision, annotations));

    const from = query.get('resourceVersion') ?? '';
    const isFromNow = from === '' || from === '0' || query.get('sendInitialEvents') === 'true';
    if (isFromNow) {
      for (const object of this.#store.all(kind).filter(isIn)) tell('ADDED', shown.object(object));
      if (query.get('sendInitialEvents') === 'true')
        bookmark({ 'k8s.io/initial-events-end': 'true' });
    } else if (Number(from) < this.#store.compacted) {
      const message = `too old resource version: ${from} (${this.#store.compacted})`;
      tell('ERROR', new Refusal('Expired', message).body);
      end();
      return () => undefined;
    } else {
      for (const change of this.#store.since(kind, Number(from))) take(change);
    }

    const unfollow = this.#store.follow(kind, take);
    const remind = () => bookmark();
    if (query.get('allowWatchBookmarks') === 'true') this.#bookmarks.add(remind);
    const watch = { kind, end };
    this.#open.add(watch);
    return () => {
      this.#open.delete(watch);
      unfollow();
      this.#bookmarks.delete(remind);
    };
  }
}

function bookmarkOf(
  { kind, shown }: WatchScope,
  revision: number,
  annotations: JsonObject | undefined,
): JsonObject {
  const metadata = {
    resourceVersion: String(revision),
    ...(annotations ? { annotations } : {}),
  };
  const { apiVersion, kind: name } = kind;
  const { kind: shownKind = name, apiVersion: shownVersion = apiVersion } = shown.object({
    apiVersion,
    kind: name,
    metadata: { name: '', uid: '', creationTimestamp: '' },
  });
  return { kind: shownKind, apiVersion: shownVersion, metadata };
}
