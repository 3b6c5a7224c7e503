/**
 * The path of a request: the path of the base URL, then the operation's path with percent-encoded ids.
 * Undefined when an id is not allowed in a path: empty, `.` or `..` (which servers take for a folder), or not well-formed text.
 */
export function requestPath(baseUrl: URL, path: string, ids: readonly string[]): string | undefined {
  if (!ids.every(fitsInPath)) return undefined;
  const rest = [...ids];
  const filled = path.replaceAll(/\{\w+\}/gu, () => encodeURIComponent(rest.shift() ?? ''));
  return baseUrl.pathname.replace(/\/+$/u, '') + filled;
}

function fitsInPath(id: string): boolean {
  return id !== '' && id !== '.' && id !== '..' && id.isWellFormed();
}
