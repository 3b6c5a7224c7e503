import * as z from 'zod';
import type { JsonObject } from '../document/document-schema.ts';
import type { PathIds, resourceIds } from '../wire/ids.ts';
import type { requests } from '../wire/requests.ts';
import { wireSchemas, type SchemaName } from '../wire/schemas.ts';

/** One operation of the cloud's API. The method of the client, the API's document, and the label in metrics are derived from it. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** The body of the request. Absent: no body. */
  readonly request?: keyof typeof requests;
  readonly success: Success;
  /** The reason for a 409; absent if the operation never answers so. */
  readonly conflict?: string;
  /**
   * Whether the request creates a resource. Without the id in the reply, the resource could not be found again. Such a request must not use a kept
   * connection, which the server may have closed.
   */
  readonly creates?: true;
}
export type Operations = Readonly<Record<string, Operation>>;

export interface Success {
  /** The status in the document; the client accepts any 2xx. */
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Absent: no body. */
  readonly body?: SchemaName;
  readonly isList?: true;
  /** Differences from the example of the schema. */
  readonly example?: JsonObject;
}

/** The type of an operation's request body. */
export type RequestOf<O extends Operation> = O extends { readonly request: infer N extends keyof typeof requests }
  ? Readonly<z.infer<(typeof requests)[N]>>
  : undefined;

/** The result of a call: the resource that was read or created, or a list of resources. All other replies are ignored. */
export type ReplyOf<O extends Operation> = O extends {
  readonly success: { readonly body: infer B extends SchemaName; readonly isList: true };
}
  ? readonly z.infer<(typeof wireSchemas)[B]>[]
  : O extends { readonly creates: true; readonly success: { readonly body: infer B extends keyof typeof resourceIds } }
    ? WithId<z.infer<(typeof wireSchemas)[B]>, (typeof resourceIds)[B]['field']>
    : O extends { readonly method: 'GET'; readonly success: { readonly body: infer B extends SchemaName } }
      ? z.infer<(typeof wireSchemas)[B]>
      : void;

/** A new resource. A reply without its id is an error. */
type WithId<T, N> = T & { readonly [K in keyof T & N]-?: NonNullable<T[K]> };

/** The schema of a successful reply; undefined if the reply is ignored. */
export function replySchema({ method, creates, success: { body, isList } }: Operation): z.ZodType | undefined {
  if (body === undefined || (method !== 'GET' && !creates)) return undefined;
  return isList ? z.array(wireSchemas[body]) : wireSchemas[body];
}

/** The ids in a path, in the same order, without the id of the project. */
export type IdsIn<P extends string> = P extends `${string}{${infer Name extends keyof PathIds}}${infer Rest}`
  ? [...(Name extends 'project_id' ? [] : [id: PathIds[Name]]), ...IdsIn<Rest>]
  : [];

export const polled =
  'Asked about once a minute, and more often while something is being done: one list serves all objects of the operator.';
export const confirmed = 'Asked where the list lacks what was there, such as after its deletion. It lags nothing.';
export const noIdempotency =
  'The same request twice makes two. The operator never repeats one: after a lost answer it looks for the result in the list, under the name that it asked for.';
const lag = 'All of them, in one array. It may lag a write by seconds, also in what it shows of one.';

export const done = (description: string) => ({ status: 200, description, body: 'Message' }) as const;
export const accepted = <B extends SchemaName>(description: string, body: B) => ({ status: 202, description, body }) as const;
export const read = <B extends SchemaName>(body: B) => ({ status: 200, description: 'As it is now.', body }) as const;
export const list = <B extends SchemaName>(body: B) => ({ status: 200, description: lag, body, isList: true }) as const;
