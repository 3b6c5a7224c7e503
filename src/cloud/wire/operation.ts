import type * as z from 'zod';

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** An operation of the cloud's API. `all.ts` checks the names of its schemas. */
export interface Operation<Request extends string = string, Reply extends string = string> {
  /**
   * The effect on resources; the HTTP method follows from it. Only the reply to a create has the id of the new
   * resource. A create must not use a kept connection: the server may have closed it.
   */
  readonly effect: 'read' | 'create' | 'change' | 'delete';
  /** With its parameters in braces. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Absent: no body. */
  readonly request?: Request;
  readonly success: Success<Reply>;
  /** The reason for a 409; absent if the operation never answers so. */
  readonly conflict?: string;
}
export type Operations = Readonly<Record<string, Operation>>;

export const methodOf = { read: 'GET', create: 'POST', change: 'POST', delete: 'DELETE' } as const;

export interface Success<Reply extends string> {
  /** The status in the document; the client accepts any 2xx. */
  readonly status: 200 | 201 | 202 | 204;
  readonly description: string;
  /** Absent: no body. */
  readonly body?: Reply;
  readonly isList?: true;
  /** Differences from the example of the schema. */
  readonly example?: JsonObject;
}

export interface ResourceKind {
  readonly tag: { readonly name: string; readonly description: string };
  /** Its id, by the parameter in paths. */
  readonly pathIds: Readonly<Record<string, z.ZodType<string>>>;
  /** The id of a resource in a path, and in a body, by the name of its schema. */
  readonly resourceIds: Readonly<
    Record<string, { readonly parameter: string; readonly field: string }>
  >;
  /** Schemas by their names in the API's document. Each has an example. */
  readonly replies: Readonly<Record<string, z.ZodType>>;
  readonly requests: Readonly<Record<string, z.ZodType>>;
  readonly operations: Operations;
}

export const polled =
  'Requested about once a minute, and more often while the cloud is working: a single list serves all objects of the operator.';
export const confirmed =
  'Requested before each change, and if the list lacks a known resource, such as after its deletion. It must not lag.';
export const noIdempotency =
  'The same request twice creates two resources. The operator never repeats it: after a lost answer, it looks for the requested name in the list.';
const lag = 'All resources, in a single array. It may lag a write by seconds.';

export const done = (description: string) =>
  ({ status: 200, description, body: 'Message' }) as const;
export const accepted = <B extends string>(description: string, body: B) =>
  ({ status: 202, description, body }) as const;
export const read = <B extends string>(body: B) =>
  ({ status: 200, description: 'The present state.', body }) as const;
export const list = <B extends string>(body: B) =>
  ({ status: 200, description: lag, body, isList: true }) as const;
