import * as z from 'zod';
import type { CloudOperation } from './cloud-api.ts';
import type { Reply } from './exchange.ts';
import { readReply, requireId, type ReadReply } from './read-reply.ts';
import { credentialsInfo } from './wire/credentials-info.ts';
import { replicaSet } from './wire/replica-set.ts';
import { service } from './wire/service.ts';
import { peering, vpc } from './wire/vpc.ts';

/** One operation of the cloud's API on the wire. `P` is the path with its parameters in braces, `T` the result of a call. */
export interface Endpoint<P extends string = string, T = unknown> {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: P;
  /** Whether the request creates a resource: then it must not use a kept connection, which the server may have closed. */
  readonly creates: boolean;
  /** Reads a successful reply. @throws {CloudError} when the reply cannot be used */
  readonly read: (operation: CloudOperation, reply: Reply) => ReadReply<T>;
}

function get<P extends string, T>(path: P, schema: z.ZodType<T>): Endpoint<P, T> {
  return { method: 'GET', path, creates: false, read: (operation, reply) => readReply(operation, schema, reply) };
}

/** `newId`: the field of the reply with the id of the new resource. Without the id, the resource could not be found again. */
function create<P extends string, T>(path: P, schema: z.ZodType<T>, newId: string): Endpoint<P, T> {
  return {
    method: 'POST',
    path,
    creates: true,
    read: (operation, reply) => requireId(operation, newId, reply.status, readReply(operation, schema, reply)),
  };
}

/** An operation whose reply is ignored: its status says enough. */
function post<P extends string>(path: P): Endpoint<P, void> {
  return { method: 'POST', path, creates: false, read: () => nothingRead };
}

function remove<P extends string>(path: P): Endpoint<P, void> {
  return { method: 'DELETE', path, creates: false, read: () => nothingRead };
}

const nothingRead: ReadReply<void> = { value: undefined, unknownFields: new Set() };

/** The whole API. docs/reference/openapi.yaml is generated from it. */
export const endpoints = {
  getCredentialsInfo: get('/auth/info', credentialsInfo),

  listVpcs: get('/projects/{project_id}/vpcs', z.array(vpc)),
  createVpc: create('/projects/{project_id}/vpcs', vpc, 'id'),
  getVpc: get('/projects/{project_id}/vpcs/{vpc_id}', vpc),
  deleteVpc: remove('/projects/{project_id}/vpcs/{vpc_id}'),
  renameVpc: post('/projects/{project_id}/vpcs/{vpc_id}/rename'),

  listPeerings: get('/projects/{project_id}/vpcs/{vpc_id}/peerings', z.array(peering)),
  createPeering: create('/projects/{project_id}/vpcs/{vpc_id}/peerings', peering, 'id'),
  getPeering: get('/projects/{project_id}/vpcs/{vpc_id}/peerings/{peering_id}', peering),
  deletePeering: remove('/projects/{project_id}/vpcs/{vpc_id}/peerings/{peering_id}'),

  listServices: get('/projects/{project_id}/services', z.array(service)),
  createService: create('/projects/{project_id}/services', service, 'service_id'),
  getService: get('/projects/{project_id}/services/{service_id}', service),
  deleteService: remove('/projects/{project_id}/services/{service_id}'),
  startService: post('/projects/{project_id}/services/{service_id}/start'),
  stopService: post('/projects/{project_id}/services/{service_id}/stop'),
  attachServiceToVpc: post('/projects/{project_id}/services/{service_id}/attachToVPC'),
  detachServiceFromVpc: post('/projects/{project_id}/services/{service_id}/detachFromVPC'),
  resizeService: post('/projects/{project_id}/services/{service_id}/resize'),
  enableServicePooler: post('/projects/{project_id}/services/{service_id}/enablePooler'),
  disableServicePooler: post('/projects/{project_id}/services/{service_id}/disablePooler'),
  forkService: create('/projects/{project_id}/services/{service_id}/forkService', service, 'service_id'),
  updateServicePassword: post('/projects/{project_id}/services/{service_id}/updatePassword'),
  setServiceEnvironment: post('/projects/{project_id}/services/{service_id}/setEnvironment'),
  setServiceHighAvailability: post('/projects/{project_id}/services/{service_id}/setHA'),

  listReplicaSets: get('/projects/{project_id}/services/{service_id}/replicaSets', z.array(replicaSet)),
  createReplicaSet: create('/projects/{project_id}/services/{service_id}/replicaSets', replicaSet, 'id'),
  deleteReplicaSet: remove('/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}'),
  resizeReplicaSet: post('/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/resize'),
  enableReplicaSetPooler: post('/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/enablePooler'),
  disableReplicaSetPooler: post('/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/disablePooler'),
  setReplicaSetEnvironment: post('/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}/setEnvironment'),
} satisfies Record<CloudOperation, Endpoint>;
