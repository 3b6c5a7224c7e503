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
import { endpointsIn } from '../../../../src/reconcile/kinds/mirror.ts';
import { available } from '../../../support/steps.ts';
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
/** Fields that status does not show, whose absence has a meaning, or that have an own test. */
type NotKept =
  | 'project_id'
  | 'endpoint'
  | 'connection_pooler'
  | 'vpcEndpoint'
  | 'initial_password'
  | 'metrics'
  | 'read_replica_sets';
const address = { endpoint: { host: 'h', port: 1 } };
const at = (host: string) => ({ endpoint: { host, port: 5432 } });
const vpcAt = (host: string, id: string) => ({ host, port: 5432, vpc_id: id });

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

test('a pooler, a VPC or a state that a reply lacks counts as absent, and its former value is dropped', () => {
  const before = { ...full, connection_pooler: at('p'), vpcEndpoint: vpcAt('v', 'vpc-1') };
  const { status: _state, ...now } = full;
  expect(mirrorOf(service.parse(now), mirrorOf(service.parse(before)))).toEqual(
    mirrorOf(service.parse(now)),
  );
  const set = mirrorOfSet(
    replicaSet.parse({ id: 'r1' }),
    mirrorOfSet(replicaSet.parse({ ...fullSet, connection_pooler: at('p') })),
  );
  expect([set.connectionPooler, set.status]).toEqual([undefined, undefined]);
});

describe('an endpoint without a host and a port keeps the former endpoint in status and in the connection Secret:', () => {
  const incomplete: readonly (readonly [sentence: string, endpoint: unknown])[] = [
    ['no endpoint', undefined],
    ['null', null],
    ['an empty endpoint', {}],
    ['no host', { port: 1 }],
    ['no port', { host: 'h' }],
    ['the host null', { host: null, port: 1 }],
    ['the port null', { host: 'h', port: null }],
    ['an empty host', { host: '', port: 1 }],
    ['a blank as host', { host: ' ', port: 1 }],
    ['port 0', { host: 'h', port: 0 }],
    ['port 65536', { host: 'h', port: 65_536 }],
    ['a port with a fraction', { host: 'h', port: 1.5 }],
  ];
  const [h, p, v] = ['h', 'p', 'v'].map((host) => ({ host, port: 5432 }));
  const known = { direct: h, pooler: p, vpc: v };
  const unknown = { direct: undefined, pooler: undefined, vpc: undefined };
  const whole = {
    ...full,
    ...at('h'),
    connection_pooler: at('p'),
    vpcEndpoint: vpcAt('v', 'vpc-1'),
  };
  const wholeSet = { ...fullSet, ...at('h'), connection_pooler: at('p') };

  describe.each(incomplete)('%s', (_what, endpoint) => {
    test.each<[string, object]>([
      ['endpoint', { endpoint }],
      ['connection_pooler.endpoint', { connection_pooler: { endpoint } }],
      [
        'vpcEndpoint of the same VPC',
        { vpcEndpoint: { ...(endpoint ?? undefined), vpc_id: 'vpc-1' } },
      ],
    ])('as %s of a service', (_field, change) => {
      const was = mirrorOf(service.parse(whole));
      const now = mirrorOf(service.parse({ ...whole, ...change }), shown(was));
      expect(now).toEqual(was);
      expect(endpointsIn(now)).toEqual(known);
    });

    test.each<[string, object]>([
      ['endpoint', { endpoint }],
      ['connection_pooler.endpoint', { connection_pooler: { endpoint } }],
    ])('as %s of a replica set', (_field, change) => {
      const was = mirrorOfSet(replicaSet.parse(wholeSet));
      const now = mirrorOfSet(replicaSet.parse({ ...wholeSet, ...change }), shown(was));
      expect(now).toEqual(was);
      expect(endpointsIn(now)).toEqual({ ...known, vpc: undefined });
    });

    test('is unknown without a former endpoint', () => {
      const reply = {
        ...full,
        endpoint,
        vpcEndpoint: { ...(endpoint ?? undefined), vpc_id: 'v1' },
      };
      const now = mirrorOf(service.parse(reply));
      expect([now.endpoint, endpointsIn(now)]).toEqual([undefined, unknown]);
      const set = mirrorOfSet(replicaSet.parse({ ...fullSet, endpoint }));
      expect([set.endpoint, endpointsIn(set)]).toEqual([undefined, unknown]);
    });
  });

  test.each<[string, unknown, unknown]>([
    ['of an unknown form', 'soon', v],
    ['without an id', { host: 'other', port: 1 }, v],
    ['of the same VPC with another endpoint', vpcAt('w', 'vpc-1'), { host: 'w', port: 5432 }],
    ['of another VPC', { vpc_id: 'vpc-2' }, undefined],
    ['of another VPC with its own endpoint', vpcAt('w', 'vpc-2'), { host: 'w', port: 5432 }],
    ['that is null, since the service is detached,', null, undefined],
    ['that is absent, since the service is detached,', undefined, undefined],
  ])('a vpcEndpoint %s leads to the right endpoint', (_what, vpcEndpoint, expected) => {
    const was = mirrorOf(service.parse(whole));
    const now = mirrorOf(service.parse({ ...whole, vpcEndpoint }), shown(was));
    expect(endpointsIn(now).vpc).toEqual(expected);
  });

  test.each([undefined, null])('the endpoint of a pooler that is %j is dropped', (pooler) => {
    const change = { connection_pooler: pooler };
    const now = mirrorOf(service.parse({ ...whole, ...change }), mirrorOf(service.parse(whole)));
    expect([now.connectionPooler, endpointsIn(now)]).toEqual([
      undefined,
      { ...known, pooler: undefined },
    ]);
    const set = mirrorOfSet(
      replicaSet.parse({ ...wholeSet, ...change }),
      mirrorOfSet(replicaSet.parse(wholeSet)),
    );
    expect(endpointsIn(set).pooler).toBeUndefined();
  });

  test('a pooler that the spec disables keeps no endpoint', () => {
    const status = { service: mirrorOf(service.parse(whole)) };
    const seen = { connection_pooler: {} };
    const poolerWith = (enabled: boolean) =>
      serviceSituation({ spec: { connectionPooler: { enabled } }, status, seen }).mirror
        ?.connectionPooler;
    expect([poolerWith(true), poolerWith(false)]).toEqual([{ endpoint: p }, {}]);
  });

  test('a pooler that the spec disables drops no other part of the former status', () => {
    const { mirror } = serviceSituation({
      spec: { connectionPooler: { enabled: false } },
      status: { service: mirrorOf(service.parse(whole)) },
      seen: { metadata: {} },
    });
    expect(mirror?.metadata).toEqual({ environment: 'PROD' });
  });

  test('a pooler with an incomplete endpoint counts as enabled also without a former endpoint', () => {
    const spec = { connectionPooler: { enabled: true } };
    expect(decided({ spec, seen: { connection_pooler: { endpoint: { host: '' } } } })).toEqual(
      available,
    );
  });
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
    initial_password: 'the-secret',
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
    endpoint: undefined,
    connectionPooler: undefined,
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
