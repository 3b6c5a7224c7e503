/** A version of an object, or of a list, on both servers. */
interface Pair {
  readonly real: bigint;
  readonly memory: bigint;
  readonly isOfList: boolean;
}

/**
 * Compares the order of resourceVersions. Two versions of objects have the same order on both servers. The version of
 * a list grows on the real server also by the writes of other tests, so only its order to versions of objects counts.
 */
export class Versions {
  readonly #pairs: Pair[] = [];

  /** @returns the description of a contradiction; undefined if the order is the same */
  add(real: string, memory: string, isOfList: boolean): string | undefined {
    const pair = { real: BigInt(real), memory: BigInt(memory), isOfList };
    const other = this.#pairs.find((each) => !isSameOrder(each, pair));
    this.#pairs.push(pair);
    return other && `versions ${text(other)} and ${text(pair)} have another order`;
  }
}

function isSameOrder(one: Pair, other: Pair): boolean {
  if (one.isOfList && other.isOfList) return true;
  const [real, memory] = [sign(one.real - other.real), sign(one.memory - other.memory)];
  if (!one.isOfList && !other.isOfList) return real === memory;
  // A list is not older than an object that it follows. It may be newer, by writes of other tests.
  const [list, object] = one.isOfList ? [one, other] : [other, one];
  return list.memory >= object.memory ? list.real >= object.real : list.real < object.real;
}

const sign = (value: bigint) => (value > 0n ? 1 : value < 0n ? -1 : 0);
const text = ({ real, memory, isOfList }: Pair) =>
  `${isOfList ? 'of a list' : ''} ${real}/${memory}`.trim();
