import type { Dispatcher } from 'undici';

/** Counts requests to the API server by kind, reads included: `PATCH managedservices/status`. Watches, leases and events are not counted. */
export interface Requests {
  readonly intercept: Dispatcher.DispatcherComposeInterceptor;
  counts(): Readonly<Record<string, number>>;
  /** Resets the counts. */
  reset(): void;
}

export function requests(): Requests {
  const counts = new Map<string, number>();
  return {
    intercept: (dispatch) => (options, handler) => {
      const name = nameOf(options);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
      return dispatch(options, handler);
    },
    counts: () => Object.fromEntries(counts),
    reset: () => counts.clear(),
  };
}

/** `/apis/managed-db.io/v1alpha1/namespaces/x/managedservices/orders/status`, `/api/v1/namespaces/x/secrets`. */
function nameOf({ method, path, query }: Dispatcher.DispatchOptions): string | undefined {
  const [, kind, ...rest] = path.replace(/\?.*$/u, '').split('/');
  if ((kind !== 'api' && kind !== 'apis') || query?.['watch'] !== undefined) return undefined;
  const segments = rest.slice(kind === 'api' ? 1 : 2);
  const [plural = '', name, ...subresource] =
    segments[0] === 'namespaces' && segments.length > 2 ? segments.slice(2) : segments;
  if (plural === 'events' || plural === 'leases') return undefined;
  return `${method === 'GET' && name === undefined ? 'LIST' : method} ${[plural, ...subresource].join('/')}`;
}
