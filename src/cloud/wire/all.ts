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

/** In the order of the API's document. Everything else about the API follows from this list. */
const kinds = [vpcs, peerings, services, replicaSets] as const;
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

export const pathIds = z.object({
  project_id: projectId.describe('The project of the API key.'),
  ...merged('pathIds'),
});
export type PathIds = z.infer<typeof pathIds>;
export const resourceIds = merged('resourceIds');

export const requests = merged('requests');
export type RequestName = keyof typeof requests;
export type Request<N extends RequestName> = Readonly<z.infer<(typeof requests)[N]>>;

/** By their names in the API's document. Each has an example. */
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

export const accountOperations = account.operations;
export const projectOperations = merged('operations');
export type OperationName = keyof typeof accountOperations | keyof typeof projectOperations;

export type Operation = row.Operation<RequestName, SchemaName>;
export type Operations = Readonly<Record<string, Operation>>;

/** In the order of docs/reference/openapi.yaml, which is generated from it. */
export const operations: Readonly<Record<OperationName, Operation>> = {
  ...accountOperations,
  ...projectOperations,
};

export function isOperation(name: string): name is OperationName {
  return Object.hasOwn(operations, name);
}

export type RequestOf<O extends Operation> = O extends {
  readonly request: infer N extends RequestName;
}
  ? Request<N>
  : undefined;

/** The created or read resource, or a list of resources. All other replies are ignored. */
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

/** Without the id of the project. */
export type IdsIn<P extends string> =
  P extends `${string}{${infer Name extends keyof PathIds}}${infer Rest}`
    ? [...(Name extends 'project_id' ? [] : [id: PathIds[Name]]), ...IdsIn<Rest>]
    : [];
