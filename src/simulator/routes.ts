import * as z from 'zod';
import type { Project } from './project.ts';
import {
  createReplicaSet,
  deleteReplicaSet,
  listReplicaSets,
  resizeReplicaSet,
  setReplicaSetEnvironment,
  setReplicaSetPooler,
} from './replica-sets.ts';
import * as bodies from './request-bodies.ts';
import {
  attachToVpc,
  createService,
  deleteService,
  detachFromVpc,
  forkService,
  getService,
  listServices,
  resizeService,
  setEnvironment,
  setHighAvailability,
  setPooler,
  startService,
  stopService,
  updatePassword,
} from './services.ts';
import { createPeering, createVpc, deletePeering, deleteVpc, getPeering, getVpc, listPeerings, listVpcs, renameVpc } from './vpcs.ts';

/** The input of a handler: the project of the key, the ids of the path, the parsed body, and the time that lists show. */
export interface Incoming<Body> {
  readonly project: Project;
  readonly ids: Readonly<Record<'vpc_id' | 'peering_id' | 'service_id' | 'replica_set_id', string>>;
  readonly body: Body;
  readonly listTime: number;
}

/** One endpoint of the API. */
export interface Route {
  /** The operation by its name in the client. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below /projects/:project_id. */
  readonly path: string;
  /** HTTP status of a success. */
  readonly status: number;
  /** Carries out a request. @returns the body of the reply; undefined for none @throws {ApiError} @throws {z.ZodError} for an invalid body */
  readonly handle: (incoming: Incoming<unknown>) => unknown;
}

const message = (text: string) => ({ message: text });

function route<S extends z.ZodType>(
  operation: string,
  method: Route['method'],
  path: string,
  status: number,
  body: S,
  handle: (incoming: Incoming<z.output<S>>) => unknown,
): Route {
  return { operation, method, path, status, handle: (incoming) => handle({ ...incoming, body: body.parse(incoming.body) }) };
}

const nothing = z.unknown();
const service = '/services/:service_id';
const replicaSet = `${service}/replicaSets/:replica_set_id`;
const vpc = '/vpcs/:vpc_id';

/** The endpoints of a project. `/auth/info` is not among them. */
export const routes: readonly Route[] = [
  route('listVpcs', 'GET', '/vpcs', 200, nothing, ({ project, listTime }) => listVpcs(project, listTime)),
  route('createVpc', 'POST', '/vpcs', 201, bodies.createVpcBody, ({ project, body }) => createVpc(project, body)),
  route('getVpc', 'GET', vpc, 200, nothing, ({ project, ids }) => getVpc(project, ids.vpc_id)),
  route('deleteVpc', 'DELETE', vpc, 204, nothing, ({ project, ids }) => deleteVpc(project, ids.vpc_id)),
  route('renameVpc', 'POST', `${vpc}/rename`, 200, bodies.renameVpcBody, ({ project, ids, body }) =>
    renameVpc(project, ids.vpc_id, body.name),
  ),

  route('listPeerings', 'GET', `${vpc}/peerings`, 200, nothing, ({ project, ids, listTime }) =>
    listPeerings(project, ids.vpc_id, listTime),
  ),
  route('createPeering', 'POST', `${vpc}/peerings`, 201, bodies.createPeeringBody, ({ project, ids, body }) =>
    createPeering(project, ids.vpc_id, body),
  ),
  route('getPeering', 'GET', `${vpc}/peerings/:peering_id`, 200, nothing, ({ project, ids }) =>
    getPeering(project, ids.vpc_id, ids.peering_id),
  ),
  route('deletePeering', 'DELETE', `${vpc}/peerings/:peering_id`, 204, nothing, ({ project, ids }) =>
    deletePeering(project, ids.vpc_id, ids.peering_id),
  ),

  route('listServices', 'GET', '/services', 200, nothing, ({ project, listTime }) => listServices(project, listTime)),
  route('createService', 'POST', '/services', 202, bodies.createServiceBody, ({ project, body }) => createService(project, body)),
  route('getService', 'GET', service, 200, nothing, ({ project, ids }) => getService(project, ids.service_id)),
  route('deleteService', 'DELETE', service, 202, nothing, ({ project, ids }) => deleteService(project, ids.service_id)),
  route('startService', 'POST', `${service}/start`, 202, nothing, ({ project, ids }) => startService(project, ids.service_id)),
  route('stopService', 'POST', `${service}/stop`, 202, nothing, ({ project, ids }) => stopService(project, ids.service_id)),
  route('attachServiceToVpc', 'POST', `${service}/attachToVPC`, 202, bodies.vpcBody, ({ project, ids, body }) => {
    attachToVpc(project, ids.service_id, body.vpc_id);
    return message(`attaching to ${body.vpc_id}`);
  }),
  route('detachServiceFromVpc', 'POST', `${service}/detachFromVPC`, 202, bodies.vpcBody, ({ project, ids, body }) => {
    detachFromVpc(project, ids.service_id, body.vpc_id);
    return message(`detaching from ${body.vpc_id}`);
  }),
  route('resizeService', 'POST', `${service}/resize`, 202, bodies.resizeBody, ({ project, ids, body }) =>
    resizeService(project, ids.service_id, body.cpu_millis, body.memory_gbs),
  ),
  route('enableServicePooler', 'POST', `${service}/enablePooler`, 200, nothing, ({ project, ids }) => {
    setPooler(project, ids.service_id, true);
    return message('pooler enabled');
  }),
  route('disableServicePooler', 'POST', `${service}/disablePooler`, 200, nothing, ({ project, ids }) => {
    setPooler(project, ids.service_id, false);
    return message('pooler disabled');
  }),
  route('forkService', 'POST', `${service}/forkService`, 202, bodies.forkServiceBody, ({ project, ids, body }) =>
    forkService(project, ids.service_id, body),
  ),
  route('updateServicePassword', 'POST', `${service}/updatePassword`, 204, bodies.passwordBody, ({ project, ids, body }) =>
    updatePassword(project, ids.service_id, body.password),
  ),
  route('setServiceEnvironment', 'POST', `${service}/setEnvironment`, 200, bodies.environmentBody, ({ project, ids, body }) => {
    setEnvironment(project, ids.service_id, body.environment);
    return message(`environment is ${body.environment}`);
  }),
  route('setServiceHighAvailability', 'POST', `${service}/setHA`, 202, bodies.highAvailabilityBody, ({ project, ids, body }) =>
    setHighAvailability(project, ids.service_id, body),
  ),

  route('listReplicaSets', 'GET', `${service}/replicaSets`, 200, nothing, ({ project, ids, listTime }) =>
    listReplicaSets(project, ids.service_id, listTime),
  ),
  route('createReplicaSet', 'POST', `${service}/replicaSets`, 202, bodies.createReplicaSetBody, ({ project, ids, body }) =>
    createReplicaSet(project, ids.service_id, body),
  ),
  route('deleteReplicaSet', 'DELETE', replicaSet, 202, nothing, ({ project, ids }) =>
    deleteReplicaSet(project, ids.service_id, ids.replica_set_id),
  ),
  route('resizeReplicaSet', 'POST', `${replicaSet}/resize`, 202, bodies.resizeReplicaSetBody, ({ project, ids, body }) => {
    resizeReplicaSet(project, ids.service_id, ids.replica_set_id, body.cpu_millis, body.memory_gbs);
    return message(`resizing to ${body.cpu_millis}m and ${body.memory_gbs} GB`);
  }),
  route('enableReplicaSetPooler', 'POST', `${replicaSet}/enablePooler`, 200, nothing, ({ project, ids }) => {
    setReplicaSetPooler(project, ids.service_id, ids.replica_set_id, true);
    return message('pooler enabled');
  }),
  route('disableReplicaSetPooler', 'POST', `${replicaSet}/disablePooler`, 200, nothing, ({ project, ids }) => {
    setReplicaSetPooler(project, ids.service_id, ids.replica_set_id, false);
    return message('pooler disabled');
  }),
  route('setReplicaSetEnvironment', 'POST', `${replicaSet}/setEnvironment`, 200, bodies.environmentBody, ({ project, ids, body }) => {
    setReplicaSetEnvironment(project, ids.service_id, ids.replica_set_id, body.environment);
    return message(`environment is ${body.environment}`);
  }),
];
