/** The difference between a hand-kept list and its source. A failure shows which entries to add and which to remove. */
export function missingAndUnknown(list: Iterable<string>, all: Iterable<string>) {
  const [listed, wanted] = [new Set(list), new Set(all)];
  return { missing: [...wanted.difference(listed)], unknown: [...listed.difference(wanted)] };
}

export const none = { missing: [], unknown: [] };
