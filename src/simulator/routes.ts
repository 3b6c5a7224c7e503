import { isOperation, operations, type projectOperations } from '../cloud/operations/all.ts';
import type { Operation } from '../cloud/operations/operation.ts';
import { takes, type Handler } from './handler.ts';
import {
  createReplicaSet,
  deleteReplicaSet,
  listReplicaSets,
  resizeReplicaSet,
  setReplicaSetEnvironment,
  setReplicaSetPooler,
} from './replica-sets.ts';
import { serviceChanges } from './service-changes.ts';
import { createService, deleteService, forkService, getService, listServices, updatePassword } from './services.ts';
import { createPeering, createVpc, deletePeering, deleteVpc, getPeering, getVpc, listPeerings, listVpcs, renameVpc } from './vpcs.ts';

/** The handler of each operation in a project. `/auth/info` is not among them. */
const handlers: Readonly<Record<keyof typeof projectOperations, Handler>> = {
  listVpcs: ({ project, listTime }) => listVpcs(project, listTime),
  createVpc: takes('CreateVpc', ({ project, body }) => createVpc(project, body)),
  getVpc: ({ project, ids }) => getVpc(project, ids.vpc_id),
  deleteVpc: ({ project, ids }) => deleteVpc(project, ids.vpc_id),
  renameVpc: takes('RenameVpc', ({ project, ids, body }) => renameVpc(project, ids.vpc_id, body.name)),

  listPeerings: ({ project, ids, listTime }) => listPeerings(project, ids.vpc_id, listTime),
  createPeering: takes('CreatePeering', ({ project, ids, body }) => createPeering(project, ids.vpc_id, body)),
  getPeering: ({ project, ids }) => getPeering(project, ids.vpc_id, ids.peering_id),
  deletePeering: ({ project, ids }) => deletePeering(project, ids.vpc_id, ids.peering_id),

  listServices: ({ project, listTime }) => listServices(project, listTime),
  createService: takes('CreateService', ({ project, body }) => createService(project, body)),
  getService: ({ project, ids }) => getService(project, ids.service_id),
  deleteService: ({ project, ids }) => deleteService(project, ids.service_id),
  forkService: takes('ForkService', ({ project, ids, body }) => forkService(project, ids.service_id, body)),
  updateServicePassword: takes('UpdatePassword', ({ project, ids, body }) => updatePassword(project, ids.service_id, body.password)),
  ...serviceChanges,

  listReplicaSets: ({ project, ids, listTime }) => listReplicaSets(project, ids.service_id, listTime),
  createReplicaSet: takes('CreateReplicaSet', ({ project, ids, body }) => createReplicaSet(project, ids.service_id, body)),
  deleteReplicaSet: ({ project, ids }) => deleteReplicaSet(project, ids.service_id, ids.replica_set_id),
  resizeReplicaSet: takes('Resize', ({ project, ids, body }) => resizeReplicaSet(project, ids.service_id, ids.replica_set_id, body)),
  enableReplicaSetPooler: ({ project, ids }) => setReplicaSetPooler(project, ids.service_id, ids.replica_set_id, true),
  disableReplicaSetPooler: ({ project, ids }) => setReplicaSetPooler(project, ids.service_id, ids.replica_set_id, false),
  setReplicaSetEnvironment: takes('SetEnvironment', ({ project, ids, body }) =>
    setReplicaSetEnvironment(project, ids.service_id, ids.replica_set_id, body),
  ),
};

/** One endpoint of the API, as the row of its operation has it. */
export interface Route extends Pick<Operation, 'method'> {
  readonly operation: string;
  /** Below /projects/:project_id. */
  readonly path: string;
  /** HTTP status of a success. */
  readonly status: number;
  /** Carries out a request. @returns the body of the reply; undefined for none @throws {ApiError} @throws {z.ZodError} for an invalid body */
  readonly handle: Handler;
}

export const routes: readonly Route[] = Object.entries(handlers).flatMap(([operation, handle]) =>
  isOperation(operation) ? [route(operation, operations[operation], handle)] : [],
);

function route(operation: string, { method, path, success: { status, body } }: Operation, handle: Handler): Route {
  const below = path.replace('/projects/{project_id}', '').replaceAll(/\{(\w+)\}/gu, ':$1');
  return {
    operation,
    method,
    path: below,
    status,
    handle(incoming) {
      const resource = handle(incoming);
      return body === 'Message' ? { message: 'done' } : body && resource;
    },
  };
}
