import { describe, expect, test } from 'vitest';
import { vpcId } from '../../../../src/cloud/wire/vpc.ts';
import type { KindReconciler } from '../../../../src/reconcile/kinds/kind.ts';
import { replicaSetKind } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { vpcKind } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { conclude } from '../../../../src/reconcile/report/conclude.ts';
import { effectWithinMs } from '../../../../src/reconcile/situation/history.ts';
import type { LastOperation, Situation } from '../../../../src/reconcile/situation/situation.ts';
import {
  replicaSetSituation,
  vpcSituation,
  type GivenReplicaSet,
  type GivenVpc,
} from '../../../support/situation-of-others.ts';
import {
  noon,
  recordOf,
  serviceObject,
  serviceSituation,
  type GivenService,
} from '../../../support/situation.ts';
import { freshMemory, visitOf } from '../../../support/visit.ts';

/**
 * The spec goes back to the value before an accepted change, and the cloud still shows that value: the cloud is about
 * to change it.
 */

interface Case {
  readonly title: string;
  readonly operation: string;
  readonly back: string;
  readonly from: string;
  readonly wanted: string;
  /** The step and the conclusion of a visit, with the value before the change in the spec. */
  readonly visit: (shown: 'before' | 'after', last: LastOperation) => Visited;
}

interface Visited {
  readonly step: ReturnType<KindReconciler<Situation>['decide']>;
  readonly conclusion: ReturnType<typeof conclude>;
}

function visited<S extends Situation>(kind: KindReconciler<S>, situation: S): Visited {
  const step = kind.decide(situation);
  // The process has seen another value as it was wanted, so any reported drift shows.
  const asWanted = Object.fromEntries(
    Object.keys(kind.driftFields(situation)).map((field) => [field, 'another value']),
  );
  // The work has lasted long enough to be reported.
  const memory = { ...freshMemory(), asWanted, unreportedSince: noon - 10_000 };
  return { step, conclusion: conclude(visitOf(kind, situation, step, { memory })) };
}

const changes = (rows: readonly (readonly [string, string, string, string, string])[]) =>
  rows.map(([title, operation, back, from, wanted]) => ({ title, operation, back, from, wanted }));

const services: readonly (readonly [GivenService, GivenService])[] = [
  [{ spec: { powerState: 'Running' } }, { seen: { status: 'PAUSED' } }],
  [{ spec: { powerState: 'Stopped' }, seen: { status: 'PAUSED' } }, { seen: { status: 'READY' } }],
  [
    { spec: { cpuMillis: 1000, memoryGbs: 4 } },
    { seen: { resources: [{ spec: { cpu_millis: 2000, memory_gbs: 8 } }] } },
  ],
  [
    { spec: { highAvailability: { replicaCount: 0 } } },
    { seen: { ha_replicas: { replica_count: 1, sync_replica_count: 0 } } },
  ],
  [
    { spec: { environment: 'DEV' }, seen: { metadata: { environment: 'DEV' } } },
    { seen: { metadata: { environment: 'PROD' } } },
  ],
  [
    { spec: { connectionPooler: { enabled: false } } },
    { seen: { connection_pooler: { endpoint: { host: 'pool', port: 6432 } } } },
  ],
  [
    {
      spec: { connectionPooler: { enabled: true } },
      seen: { connection_pooler: { endpoint: { host: 'pool', port: 6432 } } },
    },
    { seen: {} },
  ],
  [
    { record: recordOf('svc-1', { vpcAttachment: 'vpc-1' }) },
    { seen: { vpcEndpoint: { host: 'db', port: 5432, vpc_id: 'vpc-1' } } },
  ],
  [
    {
      vpc: { state: 'found', id: vpcId.parse('vpc-1') },
      record: recordOf('svc-1', { vpcAttachment: 'vpc-1' }),
      seen: { vpcEndpoint: { host: 'db', port: 5432, vpc_id: 'vpc-1' } },
    },
    { seen: {} },
  ],
];
const serviceCases = changes([
  ['a service: its stop', 'stopService', 'startService', 'Running', 'Stopped'],
  ['a service: its start', 'startService', 'stopService', 'Stopped', 'Running'],
  ['a service: its size', 'resizeService', 'resizeService', '1000m/4GB', '2000m/8GB'],
  [
    'a service: its replicas',
    'setServiceHighAvailability',
    'setServiceHighAvailability',
    '0 (0 synchronous)',
    '1 (0 synchronous)',
  ],
  ['a service: its environment', 'setServiceEnvironment', 'setServiceEnvironment', 'DEV', 'PROD'],
  [
    'a service: a pooler that is made',
    'enableServicePooler',
    'disableServicePooler',
    'disabled',
    'enabled',
  ],
  [
    'a service: a pooler that is removed',
    'disableServicePooler',
    'enableServicePooler',
    'enabled',
    'disabled',
  ],
  ['a service: its attachment', 'attachServiceToVpc', 'detachServiceFromVpc', 'none', 'vpc-1'],
  ['a service: its detachment', 'detachServiceFromVpc', 'attachServiceToVpc', 'vpc-1', 'none'],
]);
const replicaSets: readonly (readonly [GivenReplicaSet, GivenReplicaSet])[] = [
  [{}, { seen: { cpu_millis: 2000, memory_gbs: 8 } }],
  [
    { spec: { environment: 'DEV' }, seen: { metadata: { environment: 'DEV' } } },
    { seen: { metadata: { environment: 'PROD' } } },
  ],
  [
    { spec: { connectionPooler: { enabled: false } } },
    { seen: { connection_pooler: { endpoint: { host: 'pool', port: 6432 } } } },
  ],
];
const replicaSetCases = changes([
  ['a replica set: its size', 'resizeReplicaSet', 'resizeReplicaSet', '1000m/4GB', '2000m/8GB'],
  [
    'a replica set: its environment',
    'setReplicaSetEnvironment',
    'setReplicaSetEnvironment',
    'DEV',
    'PROD',
  ],
  [
    'a replica set: its pooler',
    'enableReplicaSetPooler',
    'disableReplicaSetPooler',
    'disabled',
    'enabled',
  ],
]);
const vpcs: readonly (readonly [GivenVpc, GivenVpc])[] = [[{}, { seen: { name: 'test' } }]];
const vpcCases = changes([['a VPC: its name', 'renameVpc', 'renameVpc', 'prod', 'test']]);

const cases: readonly Case[] = [
  ...serviceCases.map((row, index) => ({
    ...row,
    visit: (shown: 'before' | 'after', lastOperation: LastOperation) => {
      const [given = {}, after = {}] = services[index] ?? [];
      const more = shown === 'after' ? after : {};
      return visited(serviceKind, serviceSituation({ ...given, ...more, lastOperation }));
    },
  })),
  ...replicaSetCases.map((row, index) => ({
    ...row,
    visit: (shown: 'before' | 'after', lastOperation: LastOperation) => {
      const [given = {}, after = {}] = replicaSets[index] ?? [];
      const more = shown === 'after' ? after : {};
      return visited(replicaSetKind, replicaSetSituation({ ...given, ...more, lastOperation }));
    },
  })),
  ...vpcCases.map((row, index) => ({
    ...row,
    visit: (shown: 'before' | 'after', lastOperation: LastOperation) => {
      const [given = {}, after = {}] = vpcs[index] ?? [];
      const more = shown === 'after' ? after : {};
      return visited(vpcKind, vpcSituation({ ...given, ...more, lastOperation }));
    },
  })),
];

const lastOf = ({ operation, from, wanted }: Case, agoMs: number): LastOperation => ({
  operation,
  from,
  wanted,
  generation: (serviceObject().metadata.generation ?? 1) - 1,
  at: noon - agoMs,
});

describe('a change that the spec took back right after the cloud accepted it:', () => {
  test.each(cases)('$title is waited for, and is no drift', (each) => {
    const { step, conclusion } = each.visit('before', lastOf(each, 500));
    expect(step).toMatchObject({
      type: 'wait',
      inProgressSince: noon - 500,
      afterMs: effectWithinMs - 500,
    });
    expect('message' in step && step.message).toMatch(
      /, as the spec said before; then the operator applies the present spec$/u,
    );
    expect(conclusion.status).toMatchObject({ lastOperation: { operation: each.operation } });
    expect(conclusion.seen).toEqual([]);
  });

  test.each(cases)('$title is made back once the cloud shows it', (each) => {
    const { step } = each.visit('after', lastOf(each, 500));
    expect(step).toMatchObject({
      type: 'call',
      action: { type: 'change', change: { operation: each.back }, wanted: each.from },
    });
  });

  // A recorded attachment is forgotten first: see service/vpc.test.ts.
  const others = cases.filter(({ operation }) => operation !== 'attachServiceToVpc');
  test.each(others)('$title is over if the cloud does not show it in its time', (each) => {
    const { step, conclusion } = each.visit('before', lastOf(each, effectWithinMs));
    expect(step).toMatchObject({ type: 'done' });
    expect(conclusion.memory.accepted).toBeUndefined();
    expect(conclusion.status).toMatchObject({ lastOperation: undefined });
  });
});
