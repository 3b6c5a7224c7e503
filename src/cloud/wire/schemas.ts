import type * as z from 'zod';
import { credentialsInfo } from './credentials-info.ts';
import { connectionPooler, endpoint, vpcEndpoint } from './endpoint.ts';
import { replicaSet } from './replica-set.ts';
import { apiError, message } from './replies.ts';
import { requests } from './requests.ts';
import { service } from './service.ts';
import { peering, vpc } from './vpc.ts';

/** Schemas of requests and replies, by their names in the API's document. Each has an example. */
export const wireSchemas = {
  CredentialsInfo: credentialsInfo,
  Vpc: vpc,
  Peering: peering,
  Service: service,
  ReplicaSet: replicaSet,
  Endpoint: endpoint,
  ConnectionPooler: connectionPooler,
  VpcEndpoint: vpcEndpoint,
  Message: message,
  Error: apiError,
  ...requests,
} as const satisfies Record<string, z.ZodType>;
export type SchemaName = keyof typeof wireSchemas;
