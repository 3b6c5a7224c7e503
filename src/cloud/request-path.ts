/** As many ids as the path has parameters, in their order. */
export type IdsIn<P extends string> = P extends `${string}{${string}}${infer Rest}` ? readonly [string, ...IdsIn<Rest>] : readonly [];

/**
 * The path of a request: the path of the base URL, then the operation's with its parameters filled in, percent-encoded.
 * Undefined when an id cannot stand in a path: empty, a dot or two (which servers take for a folder), or not well-formed text.
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
