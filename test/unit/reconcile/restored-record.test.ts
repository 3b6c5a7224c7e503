import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import type { KindReconciler } from '../../../src/reconcile/kinds/kind.ts';
import { replicaSetKind } from '../../../src/reconcile/kinds/replica-set/kind.ts';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { vpcKind } from '../../../src/reconcile/kinds/vpc/kind.ts';
import type { ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { report } from '../../../src/reconcile/report/report.ts';
import type { Situation } from '../../../src/reconcile/situation/situation.ts';
import { refusalByKubernetes } from '../../../src/reconcile/step/kubernetes-trouble.ts';
import { wait, type Step } from '../../../src/reconcile/step/step.ts';
import { KubernetesError } from '../../../src/runtime/index.ts';
import { current } from '../../support/our-secret.ts';
import { notMade, replicaSetSituation, type GivenReplicaSet } from '../../support/situation-of-others.ts';
import { known, noon, notCreated, opened, ownAttempt, serviceSituation, type GivenService } from '../../support/situation.ts';
import { a, b, peering, withPeerings, type GivenPeerings } from './policy/vpc/vpc-with-peerings.ts';

/** Status has what a lost record is made from, and keeps it while Kubernetes refuses that record. (docs/safety.md, What an object knows) */

type Part = Partial<ResourceRecord>;

/** How an object of a kind is looked at: with its record, or, after that was lost, with its status. */
interface Looks {
  readonly withRecord: (record: Part) => Visited;
  readonly withoutRecord: (status: object) => Visited;
}

interface Visited {
  readonly object: Situation['object'];
  readonly decided: Step;
  readonly statusAfter: (step: Step, isRefused: boolean) => object;
}

function visited<S extends Situation>(kind: KindReconciler<S>, situation: S): Visited {
  const { object } = situation;
  return {
    object,
    decided: kind.decide(situation),
    statusAfter(step, isRefused) {
      const outcome = isRefused ? ({ type: 'writeFailed', step: refused, object } as const) : ({ type: 'nothing' } as const);
      return asStored.parse(JSON.parse(JSON.stringify(report({ kind, situation, step, outcome }))));
    },
  };
}

const asStored = z.record(z.string(), z.unknown());
const refused = refusalByKubernetes(
  new KubernetesError({ operation: 'patch managedvpcs shop/prod', kind: 'forbidden', status: 403, statusMessage: 'not on Fridays' }),
);
const waiting = wait('WaitingForCloud', 'the cloud is at work');

const attachedTo = (vpcEndpoint: unknown) => ({ seen: { vpcEndpoint } });
const service = (beside: GivenService = {}): Looks => {
  const at = (given: GivenService) => visited(serviceKind, serviceSituation({ ...beside, ...given }));
  const { cloud: _cloud, secret: _secret, ...lost } = notCreated;
  return {
    withRecord: (record) => at({ record }),
    withoutRecord: (status) => at({ ...lost, pinnedProject: 'prj-1', identity: known({ by: 'status' }), status }),
  };
};
const { cloud: _cloud, ...lost } = notMade;
const vpc = (beside: GivenPeerings = {}): Looks => {
  const at = (given: GivenPeerings) => visited(vpcKind, withPeerings({ ...beside, ...given }));
  return {
    withRecord: (record) => at({ record }),
    withoutRecord: (status) => at({ ...lost, pinnedProject: 'prj-1', identity: known({ id: 'vpc-1', by: 'status' }), status }),
  };
};
const replicaSet = (beside: GivenReplicaSet = {}): Looks => {
  const at = (given: GivenReplicaSet) => visited(replicaSetKind, replicaSetSituation({ ...beside, ...given }));
  return {
    withRecord: (record) => at({ record }),
    withoutRecord: (status) => at({ ...lost, pinnedProject: 'prj-1', identity: known({ id: 'rs-1', by: 'status' }), status }),
  };
};

type Row = readonly [sentence: string, looks: Looks, part: Part];

/** Each part of a record: the looks at objects that have it, or why status need not know it. */
const parts: Readonly<Record<keyof ResourceRecord, readonly Row[] | string>> = {
  id: [
    ['of a service', service(), { id: 'svc-1' }],
    ['of a VPC', vpc(), { id: 'vpc-1' }],
    ['of a replica set', replicaSet(), { id: 'rs-1' }],
  ],
  projectId: [
    ['of a service', service(), { projectId: 'prj-1' }],
    ['of a VPC', vpc(), { projectId: 'prj-1' }],
    ['of a replica set', replicaSet(), { projectId: 'prj-1' }],
  ],
  parentServiceId: [['of a replica set', replicaSet(), { parentServiceId: 'svc-1' }]],
  forkSourceId: [
    ['that the cloud shows', service({ seen: { forked_from: { service_id: serviceId.parse('svc-0') } } }), { forkSourceId: 'svc-0' }],
    ['that the cloud does not show', service(), { forkSourceId: 'svc-0' }],
  ],
  peerings: [
    ['one', vpc({ shown: [peering('p1', a), peering('of-others', b)] }), { peerings: { '1/eu/a': { id: 'p1' } } }],
    [
      'two',
      vpc({ wanted: [a], shown: [peering('p1', a), peering('p2', b)] }),
      { peerings: { '1/eu/a': { id: 'p1' }, '2/eu/b': { id: 'p2' } } },
    ],
  ],
  vpcAttachment: [
    ['that the cloud shows', service(attachedTo({ host: 'h', port: 1, vpc_id: 'vpc-1' })), { vpcAttachment: 'vpc-1' }],
    ['that the cloud shows in a shape of its own', service(attachedTo('somewhere')), { vpcAttachment: 'vpc-1' }],
    [
      'that was asked for a moment ago',
      service({ lastOperation: { operation: 'attachServiceToVpc', wanted: 'vpc-1', at: noon } }),
      { vpcAttachment: 'vpc-1' },
    ],
  ],
  removedPeerings: 'matters for as long as lists lag behind a removal',
  earlierAttachments: 'an attachment that is not over is shown, and is the last one by then',
  outcome: 'written anew',
  clusterUid: 'written anew, and only in the cluster that status names',
  objectUid: 'written anew',
  claimedAt: 'written anew',
  attempt: 'a policy keeps the record as long as a create is open',
  creates: 'tells an older record from the one of an open create, which a policy keeps',
  createdBy: 'tells copies of an open create apart, and the create is over',
  replaces: 'tells what is of the lost resource, and nothing is by now',
  deletionStarted: 'a deletion is decided upon again',
  doubtedGeneration: 'a spec that was replaced is a new generation',
  released: 'an object that was let go is not looked at again',
};

const rows = Object.entries(parts).flatMap(([name, looks]) =>
  typeof looks === 'string' ? [] : looks.map((row) => [name, ...row] as const),
);

describe('a record that was lost, and that Kubernetes refuses to take back, is written back whole in the end', () => {
  test.each(rows)('%s %s', (_name, _sentence, { withRecord, withoutRecord }, part) => {
    const before = withRecord(part).statusAfter(waiting, false);
    const first = withoutRecord(before);
    expect(first.decided).toMatchObject({ type: 'write', action: { type: 'writeRecord', record: part } });
    const second = withoutRecord(first.statusAfter(refused, true));
    expect(second.decided).toMatchObject({ type: 'write', action: { type: 'writeRecord', record: part } });
    expect(second.object.status, 'status is as rich as it was').toMatchObject(withoutConditions(before));
  });
});

test.each<[string, GivenService]>([
  ['beside an open create', { ...opened({ state: 'looking', attempt: ownAttempt, again: noon }), idBeside: { id: 'svc-1' }, status: {} }],
  ['beside a record with another id', { identity: { state: 'conflict', message: 'which?' }, cloud: { state: 'none' } }],
])('status keeps what it knows of its resource %s', (_, doubtful) => {
  const { withRecord } = service({ secret: current({ name: 'elsewhere' }), ...attachedTo({ host: 'h', port: 1, vpc_id: 'vpc-1' }) });
  const before = withRecord({ vpcAttachment: 'vpc-1' }).statusAfter(waiting, false);
  expect(before).toMatchObject({ id: 'svc-1', vpcManaged: true, binding: { name: 'elsewhere' } });
  const after = visited(serviceKind, serviceSituation({ ...doubtful, status: before }));
  expect(after.statusAfter(waiting, false)).toMatchObject(withoutConditions(before));
});

function withoutConditions(status: object): object {
  return Object.fromEntries(Object.entries(status).filter(([name]) => name !== 'conditions'));
}
