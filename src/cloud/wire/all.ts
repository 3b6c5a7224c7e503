import * as z from 'zod';
import { account, projectId } from './account.ts';
import { connectionPooler, endpoint, vpcEndpoint } from './endpoint.ts';
import type { PartlyRead } from './field.ts';
import type * as row from './operation.ts';
import { peerings } from './peering.ts';
import { replicaSets } from './replica-set.ts';
import { apiError, message } from './replies.ts';
import { services } from './service.ts';
import { vpcs } from './vpc.ts';

/**
 * The kinds in the order of the API's document. Everything else about the API follows from this
 * list.
 */
const kinds = [vpcs, peerings, services, replicaSets] as const;
/** The chapters of the document of the API, in its order. */
export const chapters: readonly {
  readonly tag: row.ResourceKind['tag'];
  readonly operations: Operations;
}[] = [account, ...kinds];

/** A part of all kinds, together. */
type Merged<Kinds extends readonly unknown[], P extends string> = Kinds extends readonly [
  infer First,
  ...infer Others,
]
  ? (First extends Readonly<Record<P, infer Part>> ? Part : never) & Merged<Others, P>
  : unknown;
function merged<P extends keyof row.ResourceKind>(part: P): Merged<typeof kinds, P>;
function merged(part: keyof row.ResourceKind): object {
  return Object.fromEntries(kinds.flatMap((kind) => Object.entries(kind[part])));
}

/** The schemas of the ids in paths, by the parameter. */
export const pathIds = z.object({
  project_id: projectId.describe('The project of the API key.'),
  ...merged('pathIds'),
});
/** The ids in paths, by the parameter. */
export type PathIds = z.infer<typeof pathIds>;
/** See `ResourceKind.resourceIds`, for all kinds. */
export const resourceIds = merged('resourceIds');

/** The schemas of the bodies of requests, for all kinds. */
export const requests = merged('requests');
/** The name of the schema of a request. */
export type RequestName = keyof typeof requests;
/** The body of a request. */
export type Request<N extends RequestName> = Readonly<z.infer<(typeof requests)[N]>>;

/** All schemas by their names in the document of the API. Each has an example. */
export const wireSchemas = {
  ...account.replies,
  ...merged('replies'),
  Endpoint: endpoint,
  ConnectionPooler: connectionPooler,
  VpcEndpoint: vpcEndpoint,
  Message: message,
  Error: apiError,
  ...requests,
};
/** The name of a schema in the document of the API. */
export type SchemaName = keyof typeof wireSchemas;

/**
 * The fields that no decision of the operator needs, by the schema of their reply. An odd value counts as absent.
 * Without `read_replica_sets`, the operator lists the replica sets of this service by themselves.
 */
export const unneededFields: Readonly<Partial<Record<SchemaName, readonly string[]>>> = {
  CredentialsInfo: ['type', 'apiKey'],
  Peering: ['error_message'],
  Service: ['metrics', 'read_replica_sets'],
};

/** The operations outside of any project. */
export const accountOperations = account.operations;
/** The operations in a project, for all kinds. */
export const projectOperations = merged('operations');
/** The name of an operation of the API. */
export type OperationName = keyof typeof accountOperations | keyof typeof projectOperations;

/** A row of the operations, whose schemas exist. */
export type Operation = row.Operation<RequestName, SchemaName>;
/** Operations by their names, whose schemas exist. */
export type Operations = Readonly<Record<string, Operation>>;

/** All operations, in the order of docs/reference/openapi.yaml, which is generated from them. */
export const operations: Readonly<Record<OperationName, Operation>> = {
  ...accountOperations,
  ...projectOperations,
};

/** Whether the API has an operation of this name. */
export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

/** The body of the request of an operation; undefined for an operation without a body. */
export type RequestOf<O extends Operation> = O extends {
  readonly request: infer N extends RequestName;
}
  ? Request<N>
  : undefined;

/**
 * The reply of an operation to its caller: the created or read resource, or a list of resources.
 * The client ignores all other replies, so their type is `void`.
 */
export type ReplyOf<O extends Operation> = O extends {
  readonly success: { readonly body: infer B extends SchemaName; readonly isList: true };
}
  ? readonly (z.infer<(typeof wireSchemas)[B]> & PartlyRead)[]
  : O extends {
        readonly effect: 'create' | 'read';
        readonly success: { readonly body: infer B extends SchemaName };
      }
    ? z.infer<(typeof wireSchemas)[B]> & PartlyRead
    : void;

/** The schema of a successful reply, or of each item of a list; undefined if the reply is ignored. */
export function replySchema({ effect, success: { body } }: Operation): z.ZodType | undefined {
  return body === undefined || (effect !== 'read' && effect !== 'create')
    ? undefined
    : wireSchemas[body];
}

/** The ids that the path of an operation needs, in their order, without the id of the project. */
export type IdsIn<P extends string> =
  P extends `${string}{${infer Name extends keyof PathIds}}${infer Rest}`
    ? [...(Name extends 'project_id' ? [] : [id: PathIds[Name]]), ...IdsIn<Rest>]
    : [];
