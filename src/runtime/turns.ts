/** Keys of several parties, which take turns: within a party, the first that came is the first that is taken. */
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

  /** The first key of the party whose turn it is. It leaves, and its party goes to the end: it is the others' turn. */
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
