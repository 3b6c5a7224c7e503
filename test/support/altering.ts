import type { Dispatcher } from 'undici';
import * as z from 'zod';
import { passwordKeys } from '../../src/resources/ledger-entry.ts';
import { annotations, cloudResourceFinalizer } from '../../src/resources/annotations.ts';

/** The parts of a write that a mutating webhook takes away. */
export type TakenAway = 'pointer' | 'finalizer' | 'password' | 'entry';

const bodyShape = z.looseObject({
  metadata: z
    .looseObject({
      annotations: z.record(z.string(), z.unknown()).optional(),
      finalizers: z.array(z.string()).nullable().optional(),
    })
    .optional(),
  data: z.record(z.string(), z.string().nullable()).optional(),
});

const isPassword = (key: string) => Object.values<string>(passwordKeys).includes(key);

/** The body of a write as a mutating webhook leaves it. The API server answers with success. */
export function withoutParts(body: string, parts: readonly TakenAway[]): string {
  const { metadata, data, ...rest } = bodyShape.parse(JSON.parse(body));
  const { annotations: texts, finalizers, ...others } = metadata ?? {};
  const isPointer = texts?.[annotations.ledger] !== undefined && parts.includes('pointer');
  const kept = parts.includes('finalizer')
    ? finalizers?.filter((finalizer) => finalizer !== cloudResourceFinalizer)
    : finalizers;
  const values = Object.fromEntries(
    Object.entries(data ?? {}).filter(([key]) => !(isPassword(key) && parts.includes('password'))),
  );
  return JSON.stringify({
    ...rest,
    metadata: {
      ...others,
      ...(texts
        ? {
            annotations: parts.includes('entry')
              ? {}
              : { ...texts, ...(isPointer ? { [annotations.ledger]: null } : {}) },
          }
        : {}),
      ...(finalizers === undefined ? {} : { finalizers: kept ?? null }),
    },
    ...(data ? { data: values } : {}),
  });
}

/** Takes parts out of the writes of an operator, between it and the API server, as a mutating webhook does. @param judge the parts of this write */
export function altering(
  judge: (write: {
    readonly method: string;
    readonly path: string;
    readonly body: string;
  }) => readonly TakenAway[],
): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) => {
    const { method, path, body } = options;
    if (method === 'GET' || !path.startsWith('/api') || typeof body !== 'string')
      return dispatch(options, handler);
    return dispatch(
      { ...options, body: withoutParts(body, judge({ method, path, body })) },
      handler,
    );
  };
}
