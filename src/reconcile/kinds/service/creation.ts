import type { ServiceId, Service } from '../../../cloud/wire/service.ts';
import type { ManagedServiceSpec } from '../../../resources/managed-service.ts';
import type { Creation } from '../../step/action.ts';
import type { Candidate } from '../../record/attempt.ts';
import { differs } from '../../decide/differs.ts';
import { isAsRequested } from '../../decide/field.ts';
import type { Attempt } from '../../record/record.ts';
import { serviceChanges } from './fields.ts';
import { mirrorOf } from './mirror.ts';

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

/** Compares a service with the request of an attempt. A missing field counts as a match. */
export function serviceCandidate(service: Service, { request }: Attempt): Candidate {
  const contradicts = differs(request['region_code'], service.region_code) || differs(request['sourceId'], service.forked_from?.service_id);
  return {
    id: service.service_id,
    name: service.name,
    created: service.created,
    contradicts: contradicts || (request['sourceId'] === undefined && service.forked_from?.service_id !== undefined),
    // Asked only of the few that have the right name.
    get equal() {
      return isAsRequested(serviceChanges, request, mirrorOf(service));
    },
  };
}
