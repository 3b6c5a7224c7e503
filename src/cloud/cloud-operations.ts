import type { CallOptions, CloudApi, CloudOperation, ProjectApi } from './cloud-api.ts';
import { endpoints, type Endpoint } from './endpoints.ts';
import type { IdsIn } from './request-path.ts';
import type { ProjectId } from './wire/ids.ts';

/** Sends one request and reads its reply. @throws {CloudError} */
export type Call = <P extends string, T>(
  operation: CloudOperation,
  endpoint: Endpoint<P, T>,
  ids: IdsIn<P>,
  options?: CallOptions,
  body?: object,
) => Promise<T>;

export function cloudOperations(call: Call): CloudApi {
  return {
    getCredentialsInfo: (options) => call('getCredentialsInfo', endpoints.getCredentialsInfo, [], options),
    project: (projectId) => projectOperations(call, projectId),
  };
}

/** Puts the arguments of each operation into its path and body. */
function projectOperations(call: Call, project: ProjectId): ProjectApi {
  const to = endpoints;
  return {
    listVpcs: (options) => call('listVpcs', to.listVpcs, [project], options),
    createVpc: (request, options) => call('createVpc', to.createVpc, [project], options, request),
    getVpc: (vpc, options) => call('getVpc', to.getVpc, [project, vpc], options),
    deleteVpc: (vpc, options) => call('deleteVpc', to.deleteVpc, [project, vpc], options),
    renameVpc: (vpc, name, options) => call('renameVpc', to.renameVpc, [project, vpc], options, { name }),

    listPeerings: (vpc, options) => call('listPeerings', to.listPeerings, [project, vpc], options),
    createPeering: (vpc, request, options) => call('createPeering', to.createPeering, [project, vpc], options, request),
    getPeering: (vpc, peering, options) => call('getPeering', to.getPeering, [project, vpc, peering], options),
    deletePeering: (vpc, peering, options) => call('deletePeering', to.deletePeering, [project, vpc, peering], options),

    listServices: (options) => call('listServices', to.listServices, [project], options),
    createService: (request, options) => call('createService', to.createService, [project], options, request),
    getService: (service, options) => call('getService', to.getService, [project, service], options),
    deleteService: (service, options) => call('deleteService', to.deleteService, [project, service], options),
    startService: (service, options) => call('startService', to.startService, [project, service], options),
    stopService: (service, options) => call('stopService', to.stopService, [project, service], options),
    attachServiceToVpc: (service, vpc, options) =>
      call('attachServiceToVpc', to.attachServiceToVpc, [project, service], options, { vpc_id: vpc }),
    detachServiceFromVpc: (service, vpc, options) =>
      call('detachServiceFromVpc', to.detachServiceFromVpc, [project, service], options, { vpc_id: vpc }),
    resizeService: (service, size, options) => call('resizeService', to.resizeService, [project, service], options, size),
    enableServicePooler: (service, options) => call('enableServicePooler', to.enableServicePooler, [project, service], options),
    disableServicePooler: (service, options) => call('disableServicePooler', to.disableServicePooler, [project, service], options),
    forkService: (service, request, options) => call('forkService', to.forkService, [project, service], options, request),
    updateServicePassword: (service, password, options) =>
      call('updateServicePassword', to.updateServicePassword, [project, service], options, { password }),
    setServiceEnvironment: (service, environment, options) =>
      call('setServiceEnvironment', to.setServiceEnvironment, [project, service], options, { environment }),
    setServiceHighAvailability: (service, replicas, options) =>
      call('setServiceHighAvailability', to.setServiceHighAvailability, [project, service], options, replicas),

    listReplicaSets: (service, options) => call('listReplicaSets', to.listReplicaSets, [project, service], options),
    createReplicaSet: (service, request, options) => call('createReplicaSet', to.createReplicaSet, [project, service], options, request),
    deleteReplicaSet: (service, set, options) => call('deleteReplicaSet', to.deleteReplicaSet, [project, service, set], options),
    resizeReplicaSet: (service, set, size, options) =>
      call('resizeReplicaSet', to.resizeReplicaSet, [project, service, set], options, size),
    enableReplicaSetPooler: (service, set, options) =>
      call('enableReplicaSetPooler', to.enableReplicaSetPooler, [project, service, set], options),
    disableReplicaSetPooler: (service, set, options) =>
      call('disableReplicaSetPooler', to.disableReplicaSetPooler, [project, service, set], options),
    setReplicaSetEnvironment: (service, set, environment, options) =>
      call('setReplicaSetEnvironment', to.setReplicaSetEnvironment, [project, service, set], options, { environment }),
  };
}
