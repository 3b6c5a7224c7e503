import * as z from 'zod';
import { credentialsInfo } from '../wire/credentials-info.ts';
import { connectionPooler, endpoint, vpcEndpoint } from '../wire/endpoint.ts';
import { replicaSet } from '../wire/replica-set.ts';
import { apiError, message } from '../wire/replies.ts';
import * as requests from '../wire/requests.ts';
import { service } from '../wire/service.ts';
import { peering, vpc } from '../wire/vpc.ts';
import { documentSchema, type JsonObject } from './document-schema.ts';
import { examples } from './examples.ts';

/** Schemas of requests and replies, by their names in the API's document. */
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
  CreateVpc: requests.createVpc,
  RenameVpc: requests.renameVpc,
  CreatePeering: requests.createPeering,
  CreateService: requests.createService,
  ForkService: requests.forkService,
  Resize: requests.resize,
  ServiceVpc: requests.serviceVpc,
  SetEnvironment: requests.setEnvironment,
  SetHighAvailability: requests.setHighAvailability,
  UpdatePassword: requests.updatePassword,
  CreateReplicaSet: requests.createReplicaSet,
} as const satisfies Record<string, z.ZodType>;
export type SchemaName = keyof typeof wireSchemas;

export function schemaRef(name: SchemaName): JsonObject {
  return { $ref: `#/components/schemas/${name}` };
}

/** `components.schemas` of the document. */
export function documentSchemas(): JsonObject {
  const registry = z.registry<{ readonly id: string }>();
  for (const [id, schema] of Object.entries(wireSchemas)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  return Object.fromEntries(
    Object.entries(plain.parse(schemas)).map(([name, schema]) => {
      const example = isName(name) ? { examples: [examples[name]] } : {};
      return [name, { ...documentSchema(schema), ...example }];
    }),
  );
}

function isName(name: string): name is SchemaName {
  return Object.hasOwn(wireSchemas, name);
}

/** Parses the JSON Schema of zod into plain data. */
const json: z.ZodType<JsonObject> = z.record(z.string(), z.json());
const plain = z.record(z.string(), json);
