import type { CallOptions, CloudApi, CloudOperation } from './cloud-api.ts';
import { endpoints, type Endpoint } from './endpoints.ts';
import type { IdsIn } from './request-path.ts';

/** Makes one request and reads its reply. @throws {CloudError} */
export type Call = <P extends string, T>(
  operation: CloudOperation,
  endpoint: Endpoint<P, T>,
  ids: IdsIn<P>,
  options?: CallOptions,
  body?: object,
) => Promise<T>;

/** Each operation's arguments in the places that its path and its body have for them. */
export function cloudOperations(call: Call): CloudApi {
  const to = endpoints;
  return {
    getCredentialsInfo: (options) => call('getCredentialsInfo', to.getCredentialsInfo, [], options),

    listVpcs: (project, options) => call('listVpcs', to.listVpcs, [project], options),
    createVpc: (project, request, options) => call('createVpc', to.createVpc, [project], options, request),
    getVpc: (project, vpc, options) => call('getVpc', to.getVpc, [project, vpc], options),
    deleteVpc: (project, vpc, options) => call('deleteVpc', to.deleteVpc, [project, vpc], options),
    renameVpc: (project, vpc, name, options) => call('renameVpc', to.renameVpc, [project, vpc], options, { name }),

    listPeerings: (project, vpc, options) => call('listPeerings', to.listPeerings, [project, vpc], options),
    createPeering: (project, vpc, request, options) => call('createPeering', to.createPeering, [project, vpc], options, request),
    getPeering: (project, vpc, peering, options) => call('getPeering', to.getPeering, [project, vpc, peering], options),
    deletePeering: (project, vpc, peering, options) => call('deletePeering', to.deletePeering, [project, vpc, peering], options),

    listServices: (project, options) => call('listServices', to.listServices, [project], options),
    createService: (project, request, options) => call('createService', to.createService, [project], options, request),
    getService: (project, service, options) => call('getService', to.getService, [project, service], options),
    deleteService: (project, service, options) => call('deleteService', to.deleteService, [project, service], options),
    startService: (project, service, options) => call('startService', to.startService, [project, service], options),
    stopService: (project, service, options) => call('stopService', to.stopService, [project, service], options),
    attachServiceToVpc: (project, service, vpc, options) =>
      call('attachServiceToVpc', to.attachServiceToVpc, [project, service], options, { vpc_id: vpc }),
    detachServiceFromVpc: (project, service, vpc, options) =>
      call('detachServiceFromVpc', to.detachServiceFromVpc, [project, service], options, { vpc_id: vpc }),
    resizeService: (project, service, size, options) => call('resizeService', to.resizeService, [project, service], options, size),
    enableServicePooler: (project, service, options) => call('enableServicePooler', to.enableServicePooler, [project, service], options),
    disableServicePooler: (project, service, options) => call('disableServicePooler', to.disableServicePooler, [project, service], options),
    forkService: (project, service, request, options) => call('forkService', to.forkService, [project, service], options, request),
    updateServicePassword: (project, service, password, options) =>
      call('updateServicePassword', to.updateServicePassword, [project, service], options, { password }),
    setServiceEnvironment: (project, service, environment, options) =>
      call('setServiceEnvironment', to.setServiceEnvironment, [project, service], options, { environment }),
    setServiceHighAvailability: (project, service, replicas, options) =>
      call('setServiceHighAvailability', to.setServiceHighAvailability, [project, service], options, replicas),

    listReplicaSets: (project, service, options) => call('listReplicaSets', to.listReplicaSets, [project, service], options),
    createReplicaSet: (project, service, request, options) =>
      call('createReplicaSet', to.createReplicaSet, [project, service], options, request),
    deleteReplicaSet: (project, service, set, options) => call('deleteReplicaSet', to.deleteReplicaSet, [project, service, set], options),
    resizeReplicaSet: (project, service, set, size, options) =>
      call('resizeReplicaSet', to.resizeReplicaSet, [project, service, set], options, size),
    enableReplicaSetPooler: (project, service, set, options) =>
      call('enableReplicaSetPooler', to.enableReplicaSetPooler, [project, service, set], options),
    disableReplicaSetPooler: (project, service, set, options) =>
      call('disableReplicaSetPooler', to.disableReplicaSetPooler, [project, service, set], options),
    setReplicaSetEnvironment: (project, service, set, environment, options) =>
      call('setReplicaSetEnvironment', to.setReplicaSetEnvironment, [project, service, set], options, { environment }),
  };
}
