/** Members of groups. A group with a single member, as most groups are, needs no collection. */
export class Groups<K, M extends object | string> {
  readonly #members = new Map<K, M | Set<M>>();

  of(group: K): readonly M[] {
    const known = this.#members.get(group);
    if (known === undefined) return [];
    return known instanceof Set ? [...known] : [known];
  }

  add(group: K, member: M): void {
    const known = this.#members.get(group);
    if (known instanceof Set) known.add(member);
    else this.#members.set(group, known === undefined || known === member ? member : new Set([known, member]));
  }

  remove(group: K, member: M): void {
    const known = this.#members.get(group);
    if (known === member) this.#members.delete(group);
    if (!(known instanceof Set) || !known.delete(member)) return;
    const [only] = known;
    if (known.size === 1 && only !== undefined) this.#members.set(group, only);
  }
}
