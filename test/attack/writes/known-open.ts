/** Cells that are red, and why; each fails the run when it turns green. */
export const knownOpen: ReadonlyMap<string, string> = new Map();
