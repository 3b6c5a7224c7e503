import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { serviceId, type ServiceId, type Service } from '../../../cloud/wire/service.ts';
import { fieldsOf } from '../../decide/pending-change.ts';
import {
  connectionPoolerField,
  environmentField,
  postponedUnless,
  sizeField,
  sizeRequest,
} from '../fields.ts';
import { inStatus, keptEndpoint, keptPooler, showsPooler } from '../mirror.ts';
import { completeEndpoint, type CompleteEndpoint } from '../../../cloud/wire/endpoint.ts';
import { attachVpc, detachVpc } from './rules/vpc.ts';
import { password } from './rules/password.ts';
import type { Mirror, ShownService } from './situation.ts';
import { managedServiceStatus } from '../../../resources/managed-service.ts';
import { readFields } from '../../../resources/stored-object.ts';
import { vpcId, type VpcId } from '../../../cloud/wire/vpc.ts';
import { fieldOf } from '../../../cloud/fields.ts';
import { wantedPower, type Power } from '../../../resources/running-hours.ts';
import * as z from 'zod';

/** VPC and password have own rules, since each request is recorded before it is sent. */

const field = fieldsOf<ShownService, ServiceId>(({ id }) => serviceId.parse(id));

/** The cloud needs both numbers, so a number that the spec leaves out keeps its value. `shared` matches any size. */
const size = field(sizeField('service'), {
  shown: ({ resources }) => resources?.[0]?.spec,
  wanted({ object: { spec } }, shown) {
    const { cpuMillis = shown.cpuMillis, memoryGbs = shown.memoryGbs } = spec;
    const isSizeShown = shown.cpuMillis !== undefined && shown.memoryGbs !== undefined;
    if (!isSizeShown || typeof cpuMillis !== 'number' || typeof memoryGbs !== 'number')
      return undefined;
    return { cpuMillis, memoryGbs };
  },
  operations: ['resizeService'],
  change: (id, wanted) => ({ operation: 'resizeService', args: [id, sizeRequest(wanted)] }),
});

type Replicas = NonNullable<Mirror['haReplicas']>;

/**
 * A number that the spec leaves out keeps its value, and is not sent. Synchronous replicas are part of the
 * replicas, so fewer replicas may make them fewer.
 */
const highAvailability = field(
  {
    name: 'high availability',
    path: 'highAvailability',
    reason: 'ConfiguringHighAvailability',
    unset: {},
    text: ({ replicaCount = 0, syncReplicaCount = 0 }: Replicas) =>
      replicasText(replicaCount, syncReplicaCount),
    request: () => 'change the high-availability replicas of the service',
    progress: (from, to) => `changing the high-availability replicas from ${from} to ${to}`,
  },
  {
    shown: ({ haReplicas }) => haReplicas,
    wanted({ object }, shown) {
      const { replicaCount, syncReplicaCount } = object.spec.highAvailability ?? {};
      const kept =
        replicaCount === undefined || shown.syncReplicaCount === undefined
          ? shown.syncReplicaCount
          : Math.min(shown.syncReplicaCount, replicaCount);
      return {
        replicaCount: replicaCount ?? shown.replicaCount,
        syncReplicaCount: syncReplicaCount ?? kept,
      };
    },
    operations: ['setServiceHighAvailability'],
    change: (id, wanted, { object, mirror: before }) => {
      const { replicaCount, syncReplicaCount: given } = object.spec.highAvailability ?? {};
      const isFewer = wanted.syncReplicaCount !== before?.haReplicas?.syncReplicaCount;
      const syncReplicaCount = given ?? (isFewer ? wanted.syncReplicaCount : undefined);
      const replicas = {
        ...(replicaCount === undefined ? {} : { replica_count: replicaCount }),
        ...(syncReplicaCount === undefined ? {} : { sync_replica_count: syncReplicaCount }),
      };
      return { operation: 'setServiceHighAvailability', args: [id, replicas] };
    },
  },
);

const environment = field(environmentField('service'), {
  shown: ({ metadata }) => metadata?.environment,
  wanted: ({ object }) => object.spec.environment,
  operations: ['setServiceEnvironment'],
  change: (id, wanted) => ({
    operation: 'setServiceEnvironment',
    args: [id, { environment: wanted }],
  }),
});

const connectionPooler = field(connectionPoolerField('service'), {
  shown: showsPooler,
  wanted: ({ object }) => object.spec.connectionPooler?.enabled,
  operations: ['enableServicePooler', 'disableServicePooler'],
  change: (id, isWanted) => ({
    operation: isWanted ? 'enableServicePooler' : 'disableServicePooler',
    args: [id],
  }),
});

const power = {
  path: 'powerState',
  unset: 'Running',
  text: (state: Power) => state,
} as const;

/** The hours decide about the state if the spec has hours. */
const powerPlaces = {
  shown: shownPower,
  remedyPath: ({ object: { spec } }: ShownService) =>
    spec.runningHours === undefined ? 'powerState' : 'runningHours',
} as const;

function shownPower({ status }: Mirror): Power | undefined {
  if (status === undefined) return undefined;
  return status === 'PAUSED' ? 'Stopped' : 'Running';
}

function onlyIf(state: Power, { object, wallTime }: ShownService): Power | undefined {
  return wantedPower(object, wallTime) === state ? state : undefined;
}

const start = field(
  {
    ...power,
    name: 'power state',
    reason: 'Starting',
    request: () => 'start the service',
    progress: () => 'starting the service',
  },
  {
    ...powerPlaces,
    wanted: (situation) => onlyIf('Running', situation),
    operations: ['startService'],
    change: (id) => ({ operation: 'startService', args: [id] }),
  },
);

const stop = field(
  {
    ...power,
    name: 'stopping',
    reason: 'Stopping',
    request: () => 'stop the service',
    progress: () => 'stopping the service',
  },
  {
    ...powerPlaces,
    wanted: (situation) => onlyIf('Stopped', situation),
    operations: ['stopService'],
    change: (id) => ({ operation: 'stopService', args: [id] }),
  },
);

/** In the order in which the changes are made. A stopped service is started before most of them. */
export const serviceChanges = [
  start,
  password,
  ...[detachVpc, attachVpc, size, highAvailability, environment, connectionPooler].map((change) =>
    postponedUnless(change, ({ state }) => state !== 'PAUSED'),
  ),
  stop,
];

const mirror = managedServiceStatus.shape.service.unwrap();

/** The status has no password, no replica sets, and no usage figures. */
export function mirrorOf(service: Service, before: Mirror = {}): Mirror {
  const {
    endpoint: _endpoint,
    connectionPooler: pooler,
    vpcEndpoint,
    status: _status,
    ...lasting
  } = before;
  const shown = {
    ...service,
    endpoint: keptEndpoint(service, before),
    connection_pooler: keptPooler(service.connection_pooler, pooler),
    vpcEndpoint: keptVpcEndpoint(service, vpcEndpoint),
  };
  return readFields(mirror, inStatus(shown, lasting)).fields;
}

/** Without a complete address in the reply, the address in status stays, unless the reply names another VPC. */
function keptVpcEndpoint(service: Service, before: unknown): unknown {
  const seen = vpcEndpointOf(service);
  if (seen.state === 'detached') return undefined;
  const isKnown = seen.state === 'attached' && seen.endpoint !== undefined;
  const isSame = seen.state === 'unrecognised' || fieldOf(before, 'vpcId') === seen.id;
  return !isKnown && isSame && completeEndpoint(before) ? before : service.vpcEndpoint;
}

/** The service in status with the origin of a fork, which a cloud may never show. */
export function withOrigin(shown: Mirror, { forkSourceId: source }: ResourceRecord): Mirror {
  return source === undefined
    ? shown
    : { ...shown, forkedFrom: { serviceId: source, ...shown.forkedFrom } };
}

/** Such as `2 (1 synchronous)`. */
export function replicasText(replicas: number, synchronous: number): string {
  return `${replicas} (${synchronous} synchronous)`;
}

const afterReady: ReadonlySet<string> = new Set([
  'READY',
  'PAUSING',
  'PAUSED',
  'RESUMING',
  'UPGRADING',
  'OPTIMIZING',
  'UNSTABLE',
  'DELETING',
]);

/** Whether the state alone proves that the service was READY once. A CONFIGURING service may not have been. */
export function isAfterReady(state: string | undefined): boolean {
  return afterReady.has(state ?? '');
}

const attached = z.object({ vpc_id: vpcId });

/**
 * The VPC that a service is attached to. The API's document gives no shape. Absent and null mean detached,
 * `{host, port, vpc_id}` is understood, and any shape without `vpc_id` is an attachment to an unknown VPC.
 */
export function vpcEndpointOf(
  service: Service,
):
  | { state: 'detached' }
  | { state: 'attached'; id: VpcId; endpoint: CompleteEndpoint | undefined }
  | { state: 'unrecognised' } {
  if (service.vpcEndpoint === undefined || service.vpcEndpoint === null)
    return { state: 'detached' };
  const parsed = attached.safeParse(service.vpcEndpoint);
  return parsed.success
    ? {
        state: 'attached',
        id: parsed.data.vpc_id,
        endpoint: completeEndpoint(service.vpcEndpoint),
      }
    : { state: 'unrecognised' };
}

/** The id of the VPC, `none`, or undefined if unknown. Of an unknown shape, the record has the id, if this object attached it. */
export function attachedTo(
  service: Service,
  { vpcAttachment }: ResourceRecord,
): string | undefined {
  const seen = vpcEndpointOf(service);
  if (seen.state === 'attached') return seen.id;
  return seen.state === 'detached' ? 'none' : vpcAttachment;
}
