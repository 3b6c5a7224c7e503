import * as z from 'zod';
import { type JsonObject, parsedJson } from './json.ts';
import type { Kind } from './kinds.ts';
import { Refusal } from './refusal.ts';
import { selected } from './selector.ts';
import type { Shown } from './shown.ts';
import type { Store } from './store.ts';
import type { StoredObject } from './stored-object.ts';

/** The rest of a list at the revision of its first page. */
interface Rest {
  readonly revision: number;
  readonly items: readonly StoredObject[];
}

/** The number of rests of lists that the server keeps. */
const longestMemory = 1_000;

const token = z.object({ page: z.int() });

/** Answers lists, page by page. All pages of a list are of the revision of its first page. */
export class Lists {
  readonly #store: Store;
  readonly #rests = new Map<number, Rest>();
  #last = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  /** @throws {Refusal} `Expired` for a page whose revision is compacted */
  page(
    kind: Kind,
    namespace: string | undefined,
    query: URLSearchParams,
    shown: Shown,
  ): JsonObject {
    const limit = Number(query.get('limit') ?? 0) || Infinity;
    const isIn = selected(query);
    const { revision, items } = this.#rest(query.get('continue') ?? '') ?? {
      revision: this.#store.revision,
      items: this.#store
        .all(kind)
        .filter(({ metadata }) => namespace === undefined || metadata.namespace === namespace),
    };
    // The server looks for selected objects until the page is full: the rest may have none.
    const found = items.flatMap((object, index) => (isIn(object) ? [{ object, index }] : []));
    const end = found[limit - 1]?.index;
    const left = end === undefined ? [] : items.slice(end + 1);
    const isSelected = query.has('labelSelector') || query.has('fieldSelector');
    const more: JsonObject =
      left.length === 0
        ? {}
        : {
            continue: this.#keep({ revision, items: left }),
            ...(isSelected ? {} : { remainingItemCount: left.length }),
          };
    return shown.list(
      kind,
      { resourceVersion: String(revision), ...more },
      found.slice(0, limit).map(({ object }) => object),
    );
  }

  #keep(rest: Rest): string {
    this.#last += 1;
    this.#rests.set(this.#last, rest).delete(this.#last - longestMemory);
    return Buffer.from(JSON.stringify({ page: this.#last })).toString('base64url');
  }

  #rest(given: string): Rest | undefined {
    if (given === '') return undefined;
    const parsed = token.safeParse(parsedJson(Buffer.from(given, 'base64url').toString()));
    if (!parsed.success) throw new Refusal('BadRequest', 'continue key is not valid');
    const rest = this.#rests.get(parsed.data.page);
    if (!rest || rest.revision < this.#store.compacted)
      throw new Refusal('Expired', 'The provided continue parameter is too old');
    return rest;
  }
}
