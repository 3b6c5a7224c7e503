/**
 * The path of the base URL, then the operation's path with percent-encoded ids. Undefined when an id is missing or left
 * over: the rest would stand in wrong places. Undefined for an id that is empty, `.`, `..` (which servers take for a
 * folder), or not well-formed text.
 */
export function requestPath(baseUrl: URL, path: string, ids: readonly string[]): string | undefined {
  const fixed = path.split(/\{\w+\}/u);
  if (ids.length !== fixed.length - 1 || !ids.every(fitsInPath)) return undefined;
  const filled = fixed.map((part, index) => (index === 0 ? part : encodeURIComponent(ids[index - 1] ?? '') + part));
  return baseUrl.pathname.replace(/\/+$/u, '') + filled.join('');
}

function fitsInPath(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.isWellFormed();
}
