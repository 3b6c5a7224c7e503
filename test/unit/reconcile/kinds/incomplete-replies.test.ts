import { describe, expect, test } from 'vitest';
import { replicaSet, type ReplicaSet } from '../../../../src/cloud/wire/replica-set.ts';
import { service, type Service } from '../../../../src/cloud/wire/service.ts';
import { vpcId, vpc } from '../../../../src/cloud/wire/vpc.ts';
import { peering as wirePeering } from '../../../../src/cloud/wire/peering.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import { decided } from '../../../support/decided.ts';
import { noon, serviceSituation } from '../../../support/situation.ts';
import { replicaSetSituation, vpcSituation } from '../../../support/situation-of-others.ts';
import { a, peering, unanswered, withPeerings } from '../decide/vpc/vpc-with-peerings.ts';
import { mirrorOf as mirrorOfSet } from '../../../../src/reconcile/kinds/replica-set/fields.ts';
import { mirrorOf } from '../../../../src/reconcile/kinds/service/fields.ts';
import { mirrorOf as mirrorOfVpc } from '../../../../src/reconcile/kinds/vpc/fields.ts';

const size = { cpu_millis: 2000, memory_gbs: 8, volume_type: 'gp3' };
const full = {
  service_id: 's1',
  name: 'orders',
  created: '2026-11-21T09:30:00Z',
  region_code: 'eu-central-1',
  service_type: 'POSTGRES',
  status: 'READY',
  forked_from: { is_standby: false, project_id: 'prj7', service_id: 's0' },
  ha_replicas: { replica_count: 2, sync_replica_count: 1 },
  metadata: { environment: 'PROD' },
  resources: [{ id: 'r1', spec: size }],
} satisfies Record<Exclude<keyof Service, NotKept | 'unreadable'>, unknown>;
/** Fields that status does not show, or whose absence has a meaning. */
type NotKept =
  | 'project_id'
  | 'endpoint'
  | 'connection_pooler'
  | 'vpcEndpoint'
  | 'initial_password'
  | 'metrics'
  | 'read_replica_sets';
const address = { endpoint: { host: 'h', port: 1 } };

const fullSet = {
  id: 'r1',
  name: 'reads',
  nodes: 2,
  cpu_millis: 1000,
  memory_gbs: 4,
  metadata: { environment: 'PROD' },
  status: 'active',
} satisfies Record<
  Exclude<keyof ReplicaSet, 'endpoint' | 'connection_pooler' | 'unreadable'>,
  unknown
>;

/** As the last status showed it, after a trip through the API server. */
function shown<M>(mirror: M): M {
  return structuredClone(mirror);
}

describe('a part that a reply lacks keeps its former value:', () => {
  const was = mirrorOf(service.parse(full));
  const lacking: readonly (readonly [string, object])[] = [
    ...Object.keys(full)
      .filter((field) => field !== 'status' && field !== 'service_id')
      .flatMap((field): [string, object][] => [
        [`${field} absent`, { ...full, [field]: undefined }],
        [`${field} null`, { ...full, [field]: null }],
      ]),
    ['metadata {}', { ...full, metadata: {} }],
    ['an environment of null', { ...full, metadata: { environment: null } }],
    ['ha_replicas {}', { ...full, ha_replicas: {} }],
    ['no synchronous replicas said', { ...full, ha_replicas: { replica_count: 2 } }],
    ['no replicas said', { ...full, ha_replicas: { sync_replica_count: 1 } }],
    ['resources []', { ...full, resources: [] }],
    ['a resource without a size', { ...full, resources: [{ id: 'r1' }] }],
    ['an empty size', { ...full, resources: [{ id: 'r1', spec: {} }] }],
    [
      'a size without CPU',
      { ...full, resources: [{ id: 'r1', spec: { ...size, cpu_millis: undefined } }] },
    ],
    [
      'a size without memory',
      { ...full, resources: [{ id: 'r1', spec: { ...size, memory_gbs: null } }] },
    ],
    ['forked_from {}', { ...full, forked_from: {} }],
    ['nothing but its id and state', { service_id: 's1', status: 'READY' }],
  ];
  test.each(lacking)('a service with %s', (_lack, reply) => {
    expect(mirrorOf(service.parse(reply), shown(was))).toEqual(was);
  });

  const wasSet = mirrorOfSet(replicaSet.parse(fullSet));
  const lackingSets: readonly (readonly [string, object])[] = [
    ...Object.keys(fullSet)
      .filter((field) => field !== 'status' && field !== 'id')
      .map((field): [string, object] => [`${field} absent`, { ...fullSet, [field]: undefined }]),
    ['metadata {}', { ...fullSet, metadata: {} }],
    ['nothing but its id and state', { id: 'r1', status: 'active' }],
  ];
  test.each(lackingSets)('a replica set with %s', (_lack, reply) => {
    expect(mirrorOfSet(replicaSet.parse(reply), shown(wasSet))).toEqual(wasSet);
  });
});

test.each(['name', 'cidr', 'region_code'])(
  'a VPC whose reply lacks its %s keeps the former value',
  (field) => {
    const fullVpc = { id: 'v1', name: 'prod', cidr: '10.0.0.0/16', region_code: 'eu-central-1' };
    const was = mirrorOfVpc(vpc.parse(fullVpc));
    expect(mirrorOfVpc(vpc.parse({ ...fullVpc, [field]: null }), shown(was))).toEqual(was);
  },
);

test('a value in a reply counts, also where it differs from the former value', () => {
  const now = {
    ...full,
    metadata: { environment: 'DEV' },
    ha_replicas: { replica_count: 0, sync_replica_count: 0 },
  };
  expect(mirrorOf(service.parse(now), mirrorOf(service.parse(full)))).toEqual(
    mirrorOf(service.parse(now)),
  );
});

test('a pooler, an address, a VPC or a state that a reply lacks counts as absent, and its former value is dropped', () => {
  const before = {
    ...full,
    ...address,
    connection_pooler: address,
    vpcEndpoint: { host: 'h', port: 1, vpc_id: 'v1' },
  };
  const { status: _state, ...now } = full;
  expect(mirrorOf(service.parse(now), mirrorOf(service.parse(before)))).toEqual(
    mirrorOf(service.parse(now)),
  );
  const set = mirrorOfSet(
    replicaSet.parse({ id: 'r1' }),
    mirrorOfSet(replicaSet.parse({ ...fullSet, ...address, connection_pooler: address })),
  );
  expect([set.endpoint, set.connectionPooler, set.status]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('the status of another resource completes no reply', () => {
  const status = { id: 'svc-0', service: mirrorOf(service.parse(full)) };
  expect(serviceSituation({ status, seen: { metadata: {} } }).mirror?.metadata).toEqual({});
  expect(
    serviceSituation({ status: { ...status, id: 'svc-1' }, seen: { metadata: {} } }).mirror
      ?.metadata,
  ).toEqual({
    environment: 'PROD',
  });
});

test('status has no password, no replica sets and no usage figures', () => {
  const reply = {
    ...full,
    initial_password: 'secret',
    metrics: { memory_mb: 1 },
    read_replica_sets: [fullSet],
    project_id: 'prj7',
  };
  expect(mirrorOf(service.parse(reply))).toStrictEqual({
    name: 'orders',
    created: '2026-11-21T09:30:00Z',
    regionCode: 'eu-central-1',
    serviceType: 'POSTGRES',
    status: 'READY',
    forkedFrom: { isStandby: false, projectId: 'prj7', serviceId: 's0' },
    haReplicas: { replicaCount: 2, syncReplicaCount: 1 },
    metadata: { environment: 'PROD' },
    resources: [{ id: 'r1', spec: { cpuMillis: 2000, memoryGbs: 8, volumeType: 'gp3' } }],
    vpcEndpoint: undefined,
  });
});

/** The fields that a reply may lack. Without its id it is unreadable. */
function fieldsOf({ shape }: { readonly shape: object }): readonly string[] {
  return Object.keys(shape).filter((field) => field !== 'id' && field !== 'service_id');
}

/**
 * The request after a reply without a field, by that field. The complete resource equals its spec, and status
 * shows it.
 */
function askedWithout(
  fields: readonly string[],
  decide: (field: string) => Step,
): readonly (readonly [field: string, asked: string])[] {
  return fields.flatMap((field) => {
    const step = decide(field);
    if (step.type !== 'call') return [];
    return [
      [
        field,
        step.action.type === 'change' ? step.action.change.operation : step.action.type,
      ] as const,
    ];
  });
}

describe('a reply that lacks any one field leads to no create and no deletion, and a change of what is absent by meaning alone:', () => {
  test('of a service, its pooler and its VPC', () => {
    const whole = {
      ...full,
      ...address,
      connection_pooler: address,
      vpcEndpoint: { host: 'h', port: 1, vpc_id: 'vpc-1' },
      service_id: 'svc-1',
    };
    const status = { service: mirrorOf(service.parse(whole)) };
    const asked = askedWithout(fieldsOf(service), (field) => {
      const resource = service.parse({ ...whole, [field]: undefined });
      return decided({
        spec: {
          name: 'orders',
          cpuMillis: 2000,
          memoryGbs: 8,
          environment: 'PROD',
          regionCode: 'eu-central-1',
          highAvailability: { replicaCount: 2, syncReplicaCount: 1 },
          connectionPooler: { enabled: true },
          powerState: 'Running',
        },
        vpc: { state: 'found', id: vpcId.parse('vpc-1') },
        record: { vpcAttachment: 'vpc-1' },
        status,
        cloud: { state: 'present', resource, asOf: noon },
      });
    });
    expect(asked).toEqual([
      ['connection_pooler', 'enableServicePooler'],
      ['vpcEndpoint', 'attachServiceToVpc'],
    ]);
  });

  test('of a replica set, its pooler', () => {
    const whole = { ...fullSet, ...address, connection_pooler: address, id: 'rs-1' };
    const status = { replicaSet: mirrorOfSet(replicaSet.parse(whole)) };
    const asked = askedWithout(fieldsOf(replicaSet), (field) => {
      const resource = replicaSet.parse({ ...whole, [field]: undefined });
      const spec = {
        name: 'reads',
        nodes: 2,
        environment: 'PROD',
        connectionPooler: { enabled: true },
      };
      return decideReplicaSet(
        replicaSetSituation({ spec, status, cloud: { state: 'present', resource, asOf: noon } }),
      );
    });
    expect(asked).toEqual([['connection_pooler', 'enableReplicaSetPooler']]);
  });

  test('of a VPC, nothing', () => {
    const whole = { id: 'vpc-1', name: 'prod', cidr: '10.0.0.0/16', region_code: 'eu-central-1' };
    const status = { vpc: mirrorOfVpc(vpc.parse(whole)) };
    const asked = askedWithout(fieldsOf(vpc), (field) => {
      const resource = vpc.parse({ ...whole, [field]: undefined });
      return decideVpc(vpcSituation({ status, cloud: { state: 'present', resource, asOf: noon } }));
    });
    expect(asked).toEqual([]);
  });

  const whole = peering('p1', a, { error_message: 'e', provisioned_id: 'x' });
  test.each([
    ['recorded', { '1/eu/a': { id: 'p1' } }],
    ['there before', {}],
    ['asked for, without an answer', { '1/eu/a': unanswered }],
  ] as const)('of a peering that is %s, nothing', (_, recorded) => {
    const fields = fieldsOf(wirePeering).filter((field) => !field.startsWith('peer_'));
    const asked = askedWithout(fields, (field) =>
      decideVpc(withPeerings({ wanted: [a], recorded, shown: [{ ...whole, [field]: undefined }] })),
    );
    expect(asked).toEqual([]);
  });
});
