import type { JsonObject } from './document-schema.ts';
import type { SchemaName } from './schemas.ts';

const endpoint = { host: 'c7x2k9.db.example', port: 5432 };
const pooler = { endpoint: { host: 'c7x2k9.pooler.db.example', port: 6432 } };
const vpcEndpoint = { host: 'c7x2k9.vpc.db.example', port: 5432, vpc_id: '8801' };
const peer = { peer_account_id: '123456789012', peer_region_code: 'eu-central-1', peer_vpc_id: 'vpc-0a1b2c3d' };
const newVpc = { cidr: '10.0.0.0/16', name: 'prod', region_code: 'eu-central-1' };
const newReplicaSet = { name: 'orders-reads', nodes: 2, cpu_millis: 500, memory_gbs: 2 };
const size = { cpu_millis: '1000', memory_gbs: '4' };

const replicaSet = {
  id: '5501',
  ...newReplicaSet,
  endpoint: { host: '5501.replicas.db.example', port: 5432 },
  metadata: { environment: 'PROD' },
  status: 'active',
};

/** An example for each schema; a test validates them. */
export const examples: Readonly<Record<SchemaName, JsonObject>> = {
  CredentialsInfo: {
    type: 'apiKey',
    apiKey: {
      created: '2026-01-01T00:00:00Z',
      issuing_user: { id: 'usr1', email: 'team@example.com', name: 'Team' },
      name: 'operator',
      project: { id: 'prj1', name: 'Shop', plan_type: 'standard' },
      public_key: 'pk-prj1',
    },
  },
  Vpc: { id: '8801', ...newVpc },
  Peering: { id: '31', ...peer, provisioned_id: 'pcx-7f3a', status: 'active' },
  Service: {
    service_id: 'c7x2k9',
    project_id: 'prj1',
    name: 'orders',
    created: '2026-03-01T12:00:00Z',
    region_code: 'eu-central-1',
    service_type: 'POSTGRES',
    status: 'READY',
    endpoint,
    connection_pooler: pooler,
    ha_replicas: { replica_count: 1, sync_replica_count: 0 },
    metadata: { environment: 'PROD' },
    metrics: { memory_mb: 812, milli_cpu: 140, storage_mb: 5120 },
    read_replica_sets: [replicaSet],
    resources: [{ id: '1', spec: { cpu_millis: 1000, memory_gbs: 4, volume_type: 'gp3' } }],
    vpcEndpoint,
  },
  ReplicaSet: replicaSet,
  Endpoint: endpoint,
  ConnectionPooler: pooler,
  VpcEndpoint: vpcEndpoint,
  Message: { message: 'done' },
  Error: { code: 'not_found', message: 'service c7x2k9 does not exist' },
  CreateVpc: newVpc,
  RenameVpc: { name: 'production' },
  CreatePeering: peer,
  CreateService: { name: 'orders', ...size, environment_tag: 'PROD', region_code: 'eu-central-1', replica_count: 1 },
  ForkService: { fork_strategy: 'PITR', target_time: '2026-03-01T11:59:00Z', name: 'orders-before' },
  Resize: { cpu_millis: '2000', memory_gbs: '8' },
  ServiceVpc: { vpc_id: '8801' },
  SetEnvironment: { environment: 'PROD' },
  SetHighAvailability: { replica_count: 2, sync_replica_count: 1 },
  UpdatePassword: { password: 'a-new-password' },
  CreateReplicaSet: newReplicaSet,
};
