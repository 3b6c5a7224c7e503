import { serviceId, type ServiceId } from '../../../cloud/wire/service.ts';
import { driftFieldsOf, fieldsOf, fromTo } from '../../decide/field.ts';
import { connectionPoolerField, environmentField, postponedUnless, sizeField, sizeRequest, type Size } from '../fields.ts';
import type { DriftSource } from '../../decide/pending-change.ts';
import { mirrorOf, replicasText, type Mirror } from './mirror.ts';
import { attachVpc, detachVpc } from './rules/vpc.ts';
import { password } from './rules/password.ts';
import type { ShownService } from './situation.ts';

/**
 * The values of a service that its spec may change. VPC and password have rules of their own, since each request is recorded before it is sent. The order is
 * at the end.
 */

const field = fieldsOf<ShownService, Mirror, ServiceId>({
  mirror: ({ resource }) => mirrorOf(resource),
  id: ({ id }) => serviceId.parse(id),
});

/** The cloud needs both numbers, so a number that the spec leaves out keeps its value. `shared` matches any size. */
const size = field({
  ...sizeField('service'),
  operations: ['resizeService'],
  shown: ({ resources }): Size | undefined => resources?.[0]?.spec,
  wanted({ object: { spec } }, shown) {
    const { cpuMillis = shown.cpuMillis, memoryGbs = shown.memoryGbs } = spec;
    const isSizeShown = shown.cpuMillis !== undefined && shown.memoryGbs !== undefined;
    if (!isSizeShown || typeof cpuMillis !== 'number' || typeof memoryGbs !== 'number') return undefined;
    return { cpuMillis, memoryGbs };
  },
  change: (id, wanted) => ({ operation: 'resizeService', args: [id, sizeRequest(wanted)] }),
});

/** A number that the spec leaves out keeps its value, and is not sent. */
const highAvailability = field({
  name: 'high availability',
  path: 'highAvailability',
  reason: 'ConfiguringHighAvailability',
  operations: ['setServiceHighAvailability'],
  takesTime: true,
  shown: ({ haReplicas }) => haReplicas,
  unset: {},
  wanted({ object }, shown) {
    const { replicaCount = shown.replicaCount, syncReplicaCount = shown.syncReplicaCount } = object.spec.highAvailability ?? {};
    return { replicaCount, syncReplicaCount };
  },
  text: ({ replicaCount = 0, syncReplicaCount = 0 }) => replicasText(replicaCount, syncReplicaCount),
  request: () => 'change the high-availability replicas of the service',
  progress: (wanted, from) => `changing the high-availability replicas ${fromTo(wanted, from)}`,
  change: (id, _wanted, { object }) => {
    const { replicaCount, syncReplicaCount } = object.spec.highAvailability ?? {};
    const replicas = {
      ...(replicaCount === undefined ? {} : { replica_count: replicaCount }),
      ...(syncReplicaCount === undefined ? {} : { sync_replica_count: syncReplicaCount }),
    };
    return { operation: 'setServiceHighAvailability', args: [id, replicas] };
  },
});

const environment = field({
  ...environmentField('service'),
  operations: ['setServiceEnvironment'],
  change: (id, wanted) => ({ operation: 'setServiceEnvironment', args: [id, { environment: wanted }] }),
});

const connectionPooler = field({
  ...connectionPoolerField('service'),
  operations: ['enableServicePooler', 'disableServicePooler'],
  change: (id, isWanted) => ({ operation: isWanted ? 'enableServicePooler' : 'disableServicePooler', args: [id] }),
});

type Power = 'Running' | 'Stopped';

const power = {
  path: 'powerState',
  takesTime: true,
  shown: ({ status }: Mirror): Power | undefined => {
    if (status === undefined) return undefined;
    return status === 'PAUSED' ? 'Stopped' : 'Running';
  },
  unset: 'Running',
  text: (state: Power) => state,
} as const;

/** The first change, since a stopped service accepts no other. */
const start = field({
  ...power,
  name: 'power state',
  reason: 'Starting',
  operations: ['startService'],
  wanted: ({ object }) => (object.spec.powerState === 'Running' ? 'Running' : undefined),
  request: () => 'start the service',
  progress: () => 'starting the service',
  change: (id) => ({ operation: 'startService', args: [id] }),
});

/** The last change. */
const stop = field({
  ...power,
  name: 'stopping',
  reason: 'Stopping',
  operations: ['stopService'],
  wanted: ({ object }) => (object.spec.powerState === 'Stopped' ? 'Stopped' : undefined),
  request: () => 'stop the service',
  progress: () => 'stopping the service',
  change: (id) => ({ operation: 'stopService', args: [id] }),
});

/**
 * The values whose change elsewhere is reported.
 * @param vpc the id of the VPC that the service is attached to; undefined if there is none, or none is known
 */
export function driftValues(service: Mirror, vpc: string | undefined, source: DriftSource): Readonly<Record<string, unknown>> {
  return { ...driftFieldsOf(serviceChanges, service, source), vpc: source === 'cloud' ? (vpc ?? 'none') : vpc };
}

/** The changes of an existing service, in the order in which they are made. A stopped service is started before most of them. */
export const serviceChanges = [
  start,
  password,
  ...[detachVpc, attachVpc, size, highAvailability, environment, connectionPooler].map((change) =>
    postponedUnless(change, ({ state }) => state !== 'PAUSED'),
  ),
  stop,
];
