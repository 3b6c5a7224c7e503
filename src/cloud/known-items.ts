import { hash } from 'node:crypto';

/** What is shorter is read in no time. */
const shortestKept = 500;
/** More are of projects and parents that are not asked for any more. */
const mostLists = 8;

/**
 * The items of the long lists that a client has read, by their text. An item whose text is the same is the same: it is not parsed, checked and kept again.
 * At rest that is nearly all of ten thousand, each minute.
 */
export class KnownItems {
  readonly #lists = new Map<string, ReadonlyMap<string, unknown>>();

  /**
   * Begins to read a list.
   * @param list names it
   * @param read reads an item that is not known. Whatever it throws, the list before stays known.
   */
  begin(list: string, read: (text: string, index: number) => unknown): { item(text: string, index: number): unknown; end(): void } {
    const before = this.#lists.get(list);
    const now = new Map<string, unknown>();
    return {
      item(text, index) {
        const digest = hash('sha256', text, 'base64url');
        const item = before?.get(digest) ?? read(text, index);
        now.set(digest, item);
        return item;
      },
      end: () => {
        // The list that was read last is at the end.
        this.#lists.delete(list);
        if (now.size >= shortestKept) this.#lists.set(list, now);
        const [oldest] = this.#lists.keys();
        if (this.#lists.size > mostLists && oldest !== undefined) this.#lists.delete(oldest);
      },
    };
  }
}
