import type { Rule } from '../../../decide/rule.ts';
import { awaitReference } from '../../../decide/unreadable-cloud.ts';
import { call } from '../../../step/step.ts';
import type { MissingService } from '../situation.ts';
import { createAction } from '../../../decide/rules/creation.ts';
import { rotationOrigin } from '../../../step/password-origin.ts';
import type { ServiceId } from '../../../../cloud/wire/service.ts';
import type { ManagedServiceSpec } from '../../../../resources/managed-service.ts';
import type { Creation } from '../../../step/action.ts';

export const awaitReferences: Rule<MissingService> = ({ vpc, forkSource }) => awaitReference(forkSource) ?? awaitReference(vpc);

export const create: Rule<MissingService> = (situation) => {
  const { object, key, forkSource, vpc, wantedSecret: connection } = situation;
  const creation = serviceCreation(object.spec, forkSource.state === 'found' ? forkSource.id : undefined);
  const { projectId } = key;
  const { rotation } = object.spec.password ?? {};
  const firstPassword = { connection, requested: rotation === undefined ? undefined : rotationOrigin(rotation) };
  const attached = vpc.state === 'found' ? { vpcAttachment: vpc.id } : {};
  return call(
    { ...createAction(situation, creation, { projectId }, attached), firstPassword },
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.ids[0]}` : 'creating the service' },
  );
};

/** Values that the request cannot contain are changed after the create. */
function serviceCreation(spec: ManagedServiceSpec, forkSource: ServiceId | undefined): Creation {
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
