import { expect, test } from 'vitest';
import { CloudError } from '../../../../src/cloud/cloud-error.ts';
import { vpcId } from '../../../../src/cloud/wire/vpc.ts';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { decideVpc } from '../../../../src/reconcile/kinds/vpc/kind.ts';
import { stepAfterOutcome } from '../../../../src/reconcile/report/visit.ts';
import type { Situation } from '../../../../src/reconcile/situation/situation.ts';
import type { Step } from '../../../../src/reconcile/step/step.ts';
import {
  replicaSetSituation,
  vpcSituation,
  type GivenReplicaSet,
} from '../../../support/situation-of-others.ts';
import { serviceChanges } from '../../../support/service-values.ts';
import { recordOf, serviceSituation, type GivenService } from '../../../support/situation.ts';

/** When the cloud refuses a change, the status names the request and the user's remedy. */

function refusal(step: Step, situation: Situation): unknown {
  const change =
    step.type === 'call' && step.action.type === 'change' ? step.action.change : undefined;
  const operation = change?.operation ?? 'createService';
  const error = new CloudError({
    operation,
    kind: 'invalid',
    status: 400,
    sent: true,
    fromApi: true,
    cloudMessage: 'no',
  });
  return stepAfterOutcome({
    step,
    outcome: { type: 'failed', error, object: situation.object },
    situation,
  });
}

const refused = (request: string, remedy: string): unknown =>
  expect.objectContaining({
    type: 'stall',
    reason: 'Rejected',
    message: `the cloud refused to ${request}: "no"; ${remedy}; tried again at 12:10 UTC`,
  });

const pooler = { connection_pooler: { endpoint: { host: 'pool.example.com', port: 6432 } } };
const inVpc = { vpcEndpoint: { host: 'h', port: 1, vpc_id: 'vpc-2' } };
const wanted = { state: 'found', id: vpcId.parse('vpc-1') } as const;

test.each<readonly [request: string, remedy: string, given: GivenService]>([
  ...serviceChanges.map(
    ({ request, toChange, spec }) => [request, `change ${toChange}`, { spec }] as const,
  ),
  [
    'disable the connection pooler of the service',
    'change spec.connectionPooler',
    { spec: { connectionPooler: { enabled: false } }, seen: pooler },
  ],
  [
    'start the service',
    'change spec.powerState',
    { spec: { powerState: 'Running' }, seen: { status: 'PAUSED' } },
  ],
  ['stop the service', 'change spec.powerState', { spec: { powerState: 'Stopped' } }],
  [
    'attach the service to VPC vpc-1',
    'change spec.vpcRef or spec.vpcId',
    { vpc: wanted, record: recordOf('svc-1', { vpcAttachment: 'vpc-1' }) },
  ],
  [
    'detach the service from VPC vpc-2',
    'change spec.vpcRef or spec.vpcId',
    { vpc: wanted, seen: inVpc },
  ],
])('the cloud refuses to %s: %s', (request, remedy, given) => {
  const situation = serviceSituation(given);
  expect(refusal(decideService(situation), situation)).toEqual(refused(request, remedy));
});

test.each<readonly [request: string, remedy: string, given: GivenReplicaSet]>([
  [
    'resize the replica set to 2000 millicores, 4 GB',
    'change spec.cpuMillis or spec.memoryGbs',
    { spec: { cpuMillis: 2000 } },
  ],
  [
    'set the environment of the replica set to PROD',
    'change spec.environment',
    { spec: { environment: 'PROD' } },
  ],
  [
    'enable the connection pooler of the replica set',
    'change spec.connectionPooler',
    { spec: { connectionPooler: { enabled: true } } },
  ],
  [
    'disable the connection pooler of the replica set',
    'change spec.connectionPooler',
    { spec: { connectionPooler: { enabled: false } }, seen: pooler },
  ],
])('the cloud refuses to %s: %s', (request, remedy, given) => {
  const situation = replicaSetSituation(given);
  expect(refusal(decideReplicaSet(situation), situation)).toEqual(refused(request, remedy));
});

test('the cloud refuses to rename a VPC', () => {
  const situation = vpcSituation({ spec: { name: 'new' } });
  expect(refusal(decideVpc(situation), situation)).toEqual(
    refused('rename the VPC to "new"', 'change spec.name'),
  );
});
