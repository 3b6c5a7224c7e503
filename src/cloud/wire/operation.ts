import type * as z from 'zod';

/** A value of JSON. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** An object of JSON. */
export interface JsonObject {
  readonly [name: string]: Json;
}

/** An operation of the cloud's API. `all.ts` checks the names of its schemas. */
export interface Operation<Request extends string = string, Reply extends string = string> {
  /**
   * The effect on resources. The HTTP method follows from it.
   * - `read`: none.
   * - `create`: a new resource, whose id only this reply has. It must not use a kept connection:
   *   the server may have closed it.
   * - `change`: another state of a resource.
   * - `delete`: the end of a resource, at once or after a while.
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
/** Operations by their names. */
export type Operations = Readonly<Record<string, Operation>>;

/** The HTTP method of each effect. */
export const methodOf = { read: 'GET', create: 'POST', change: 'POST', delete: 'DELETE' } as const;

/** The reply to a successful call, as the document describes it. */
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

/**
 * A kind of resource of the cloud: its chapter in the document, its ids, schemas and operations.
 */
export interface ResourceKind {
  readonly tag: { readonly name: string; readonly description: string };
  /** Its id, by the parameter in paths. */
  readonly pathIds: Readonly<Record<string, z.ZodType<string>>>;
  /**
   * The places of the id of a resource by the name of its schema: the parameter of a path, the
   * field of a body.
   */
  readonly resourceIds: Readonly<
    Record<string, { readonly parameter: string; readonly field: string }>
  >;
  /** Schemas by their names in the API's document. Each has an example. */
  readonly replies: Readonly<Record<string, z.ZodType>>;
  /** Schemas of the bodies of requests by their names. Each has an example. */
  readonly requests: Readonly<Record<string, z.ZodType>>;
  readonly operations: Operations;
}

/** The description of a list that the operator polls. */
export const polled =
  'Requested about once a minute, and more often while the cloud is working: a single list serves all objects of the operator.';
/** The description of a read that must not lag. */
export const confirmed =
  'Requested before each change, and if the list lacks a known resource, such as after its deletion. It must not lag.';
/** The description of a create that must not be repeated. */
export const noIdempotency =
  'The same request twice creates two resources. The operator never repeats it: after a lost answer, it looks for the requested name in the list.';
const lag = 'All resources, in a single array. It may lag a write by seconds.';

/** A change that the cloud has made before it answers. */
export const done = (description: string) =>
  ({ status: 200, description, body: 'Message' }) as const;
/** A change or a create that the cloud completes after its answer. */
export const accepted = <B extends string>(description: string, body: B) =>
  ({ status: 202, description, body }) as const;
/** The reply to a read of a single resource. */
export const read = <B extends string>(body: B) =>
  ({ status: 200, description: 'The present state.', body }) as const;
/** The reply to a list. */
export const list = <B extends string>(body: B) =>
  ({ status: 200, description: lag, body, isList: true }) as const;
