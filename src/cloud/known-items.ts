import { hash } from 'node:crypto';

/** A shorter text is read in no time. */
const shortestKept = 500;
/** More lists are of projects and parents that are no longer in use. */
const mostLists = 8;

/**
 * The items of long lists, by their text. An item with the same text is not parsed, checked and kept again. At rest
 * that is nearly all of ten thousand, each minute.
 */
export class KnownItems {
  readonly #lists = new Map<string, ReadonlyMap<string, unknown>>();

  /**
   * Begins to read a list.
   * @param list its name
   * @param read reads an unknown item. If it throws, the list before stays known.
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
