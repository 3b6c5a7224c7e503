/** The values of a service that its spec may change. Tests of changes, drift, refusals and failures go through these rows. */

/**
 * Each field that may change, in the order of the changes: its name in messages, a manifest, the operation and its
 * body, and the result in the cloud. `progress` is the report for a new service. `drift` is the reported path and its
 * value: there, and where the cloud shows none.
 */
export const serviceChanges = [
  {
    field: 'cpuMillis and memoryGbs',
    name: 'size',
    reason: 'Resizing',
    progress: 'resizing from 1000m/4GB to 2000m/8GB',
    drift: ['cpuMillis/memoryGbs', '2000m/8GB', undefined],
    toChange: 'spec.cpuMillis or spec.memoryGbs',
    request: 'resize the service to 2000 millicores, 8 GB',
    spec: { cpuMillis: 2000, memoryGbs: 8 },
    operation: 'resizeService',
    inCloud: { resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }] },
    elsewhere: ['resize', { cpu_millis: '4000', memory_gbs: '16' }],
  },
  {
    field: 'highAvailability',
    name: 'high availability',
    reason: 'ConfiguringHighAvailability',
    progress: 'changing the high-availability replicas from 0 (0 synchronous) to 2 (1 synchronous)',
    drift: ['highAvailability', '2 (1 synchronous)', '0 (0 synchronous)'],
    toChange: 'spec.highAvailability',
    request: 'change the high-availability replicas of the service',
    spec: { highAvailability: { replicaCount: 2, syncReplicaCount: 1 } },
    operation: 'setServiceHighAvailability',
    inCloud: { ha_replicas: { replica_count: 2, sync_replica_count: 1 } },
    elsewhere: ['setHA', { replica_count: 0 }],
  },
  {
    field: 'environment',
    name: 'environment',
    reason: 'SettingEnvironment',
    progress: 'setting the environment from DEV to PROD',
    drift: ['environment', 'PROD', 'none'],
    toChange: 'spec.environment',
    request: 'set the environment of the service to PROD',
    spec: { environment: 'PROD', deletionProtection: false },
    operation: 'setServiceEnvironment',
    inCloud: { metadata: { environment: 'PROD' } },
    elsewhere: ['setEnvironment', { environment: 'DEV' }],
  },
  {
    field: 'connectionPooler',
    name: 'connection pooler',
    reason: 'ConfiguringPooler',
    progress: 'enabling the connection pooler',
    drift: ['connectionPooler.enabled', true, false],
    toChange: 'spec.connectionPooler',
    request: 'enable the connection pooler of the service',
    spec: { connectionPooler: { enabled: true } },
    operation: 'enableServicePooler',
    inCloud: { connection_pooler: { endpoint: { port: 6432 } } },
    elsewhere: ['disablePooler', {}],
  },
] as const;

/** A manifest with all of them. */
export const everyChange = serviceChanges.reduce(
  (before, { spec }) => ({ ...before, ...spec }),
  {},
);

type Changed = (typeof serviceChanges)[number]['field'];

/**
 * `of` is the row of the change, `wrong` a spec that the API server refuses. The rest is a foreign change of a service,
 * its report, and the cloud's state then; put right, where the spec names it.
 */
export const serviceDrifts = [
  {
    field: 'cpuMillis and memoryGbs',
    of: 'cpuMillis and memoryGbs',
    elsewhere: ['resize', { cpu_millis: '4000', memory_gbs: '16' }],
    told: 'cpuMillis/memoryGbs was changed elsewhere from 1000m/4GB to 4000m/16GB; ',
    left: { resources: [{ spec: { cpu_millis: 4000, memory_gbs: 16 } }] },
    spec: { cpuMillis: 1000, memoryGbs: 4 },
    mending: 'resizing from 4000m/16GB to 1000m/4GB',
    right: { resources: [{ spec: { cpu_millis: 1000, memory_gbs: 4 } }] },
  },
  {
    field: 'highAvailability.replicaCount',
    of: 'highAvailability',
    wrong: { highAvailability: { replicaCount: 101 } },
    elsewhere: ['setHA', { replica_count: 2 }],
    told: 'highAvailability was changed elsewhere from 0 (0 synchronous) to 2 (0 synchronous); ',
    left: { ha_replicas: { replica_count: 2, sync_replica_count: 0 } },
    spec: { highAvailability: { replicaCount: 0 } },
    mending: 'changing the high-availability replicas from 2 (0 synchronous) to 0 (0 synchronous)',
    right: { ha_replicas: { replica_count: 0, sync_replica_count: 0 } },
  },
  {
    field: 'highAvailability.syncReplicaCount',
    of: 'highAvailability',
    wrong: { highAvailability: { syncReplicaCount: -1 } },
    elsewhere: ['setHA', { replica_count: 2, sync_replica_count: 1 }],
    told: 'highAvailability was changed elsewhere from 0 (0 synchronous) to 2 (1 synchronous); ',
    left: { ha_replicas: { replica_count: 2, sync_replica_count: 1 } },
    spec: { highAvailability: { syncReplicaCount: 0 } },
    mending: 'changing the high-availability replicas from 2 (1 synchronous) to 2 (0 synchronous)',
    right: { ha_replicas: { replica_count: 2, sync_replica_count: 0 } },
  },
  {
    field: 'environment',
    of: 'environment',
    elsewhere: ['setEnvironment', { environment: 'PROD' }],
    told: 'environment was changed elsewhere from DEV to PROD; ',
    left: { metadata: { environment: 'PROD' } },
    spec: { environment: 'DEV' },
    mending: 'setting the environment from PROD to DEV',
    right: { metadata: { environment: 'DEV' } },
  },
  {
    field: 'connectionPooler.enabled',
    of: 'connectionPooler',
    elsewhere: ['enablePooler', {}],
    told: 'connectionPooler.enabled was changed elsewhere from false to true; ',
    left: { connection_pooler: { endpoint: { port: 6432 } } },
    spec: { connectionPooler: { enabled: false } },
    mending: 'disabling the connection pooler',
    right: { connection_pooler: undefined },
  },
  {
    field: 'powerState',
    elsewhere: ['stop', {}],
    told: 'powerState was changed elsewhere from Running to Stopped; ',
    left: { status: 'PAUSED' },
    spec: { powerState: 'Running' },
    mending: 'starting the service',
    right: { status: 'READY' },
  },
] as const satisfies readonly { readonly of?: Changed; readonly [part: string]: unknown }[];
