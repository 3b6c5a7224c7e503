/** A queue in which parties take turns. Keys of one party keep their order. */
export class Turns<Key> {
  // Maps and sets keep their order.
  readonly #parties = new Map<string, Set<Key>>();

  get isEmpty(): boolean {
    return this.#parties.size === 0;
  }

  add(party: string, key: Key): void {
    const keys = this.#parties.get(party) ?? new Set();
    this.#parties.set(party, keys.add(key));
  }

  delete(party: string, key: Key): void {
    const keys = this.#parties.get(party);
    keys?.delete(key);
    if (keys?.size === 0) this.#parties.delete(party);
  }

  /** Takes the first key of the next party, and moves that party to the end. */
  take(): Key | undefined {
    const [first] = this.#parties;
    if (!first) return undefined;
    const [party, keys] = first;
    const [key] = keys;
    this.#parties.delete(party);
    if (key === undefined) return undefined;
    keys.delete(key);
    if (keys.size > 0) this.#parties.set(party, keys);
    return key;
  }
}
