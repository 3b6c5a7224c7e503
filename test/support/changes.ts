import type { Dispatcher } from 'undici';
import type { Project } from '../../src/simulator/project.ts';

/** A request to change a service in the cloud. */
export interface Change {
  readonly by: string;
  /** The name of a new service, or the id of an existing service. */
  readonly of: string;
  readonly what: string;
  /** By the steady clock. */
  readonly atMs: number;
}

/** The change that a request asks for; undefined for any other request. */
export function changeIn(
  by: string,
  {
    method,
    path,
    body,
  }: { readonly method: string; readonly path: string; readonly body?: unknown },
  atMs: number,
): Change | undefined {
  const [id, verb = ''] = /^\/projects\/[^/]+\/services\/?(.*)$/u.exec(path)?.[1]?.split('/') ?? [];
  if (method === 'GET' || id === undefined) return undefined;
  const name = typeof body === 'string' ? (/"name":"([^"]+)"/u.exec(body)?.[1] ?? '') : '';
  return id === ''
    ? { by, of: name, what: 'create', atMs }
    : { by, of: id, what: `${method} ${verb}`.trim(), atMs };
}

/** Notes the changes of an operator, at the moment when the request goes to the socket. */
export function noting(
  by: string,
  note: (change: Change) => void,
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    if (!changeIn(by, options, 0)) return dispatch(options, handler);
    return dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        const change = controller.aborted ? undefined : changeIn(by, options, performance.now());
        if (change) note(change);
      },
      onResponseStart: (controller, status, headers, message) =>
        handler.onResponseStart?.(controller, status, headers, message),
      onResponseData: (controller, chunk) => handler.onResponseData?.(controller, chunk),
      onResponseEnd: (controller, trailers) => handler.onResponseEnd?.(controller, trailers),
      onResponseError: (controller, error) => handler.onResponseError?.(controller, error),
    });
  };
}

/** The name of the object that a service was made for, by the name or the id of the service. The operator adds six letters to the name. */
export function objectOf({ everCreated }: Pick<Project, 'everCreated'>): (of: string) => string {
  return (of) =>
    (everCreated.find(({ id }) => id === of)?.name ?? of).replace(/-[a-z0-9]{6}$/u, '');
}

/**
 * Where two operators changed something for the same object at a time: the changes are closer than the margin. The
 * second operator waits longer by that margin than the first operator relies on its last look.
 */
export function overlaps(
  changes: readonly Change[],
  apartMs: number,
  objectIn: (of: string) => string,
): readonly string[] {
  return [...Map.groupBy(changes, ({ of }) => objectIn(of))].flatMap(([object, own]) =>
    own.slice(1).flatMap(({ by, what, atMs }, index) => {
      const before = own[index];
      if (!before || before.by === by || atMs - before.atMs >= apartMs) return [];
      return [
        `${object}: ${before.what} by ${before.by}, and ${what} by ${by} ${Math.round(atMs - before.atMs)} ms later`,
      ];
    }),
  );
}
