import type { ServiceId } from '../../../cloud/wire/service.ts';
import type { ManagedServiceSpec } from '../../../resources/managed-service.ts';
import type { Creation } from '../../step/action.ts';

/** The request that creates a service from its spec. Values that the request cannot contain are changed afterwards. */
export function serviceCreation(spec: ManagedServiceSpec, forkSource: ServiceId | undefined): Creation {
  const size = {
    ...(spec.cpuMillis === undefined ? {} : { cpu_millis: String(spec.cpuMillis) }),
    ...(spec.memoryGbs === undefined ? {} : { memory_gbs: String(spec.memoryGbs) }),
  };
  const environment = spec.environment === undefined ? {} : { environment_tag: spec.environment };
  if (spec.fork && forkSource !== undefined) {
    const target = spec.fork.targetTime === undefined ? {} : { target_time: spec.fork.targetTime };
    return {
      operation: 'forkService',
      ids: [forkSource],
      body: { fork_strategy: spec.fork.strategy, ...target, ...size, ...environment },
    };
  }
  const replicaCount = spec.highAvailability?.replicaCount;
  return {
    operation: 'createService',
    ids: [],
    body: {
      ...(spec.addons === undefined ? {} : { addons: spec.addons }),
      ...size,
      ...environment,
      ...(spec.regionCode === undefined ? {} : { region_code: spec.regionCode }),
      ...(replicaCount === undefined ? {} : { replica_count: replicaCount }),
    },
  };
}
