/** How a hand-kept list differs from what it is a list of. Both are shown, so that a failure names what to add and what to remove. */
export function missingAndUnknown(list: Iterable<string>, all: Iterable<string>) {
  const [listed, wanted] = [new Set(list), new Set(all)];
  return { missing: [...wanted.difference(listed)], unknown: [...listed.difference(wanted)] };
}

export const none = { missing: [], unknown: [] };
