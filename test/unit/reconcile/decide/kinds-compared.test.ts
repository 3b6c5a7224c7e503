import { describe, expect, test } from 'vitest';
import { decideReplicaSet } from '../../../../src/reconcile/kinds/replica-set/kind.ts';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { notMade, replicaSetSituation } from '../../../support/situation-of-others.ts';
import { notCreated, serviceSituation } from '../../../support/situation.ts';
import { stepLike } from '../../../support/step-like.ts';

/** Where the policies of two kinds put the same thing in another place, and why. */

const waiting = { state: 'waiting', message: 'it is not there yet' } as const;
const waits = stepLike({
  type: 'wait',
  reason: 'WaitingForReference',
  message: 'it is not there yet',
});
const found = (id: string) => ({ state: 'found', id, projectId: 'prj-1' }) as const;
const observed = { spec: { managementPolicy: 'Observe' } } as const;

describe('an existing service is adopted without the references that a new service needs:', () => {
  test('the service is taken over while its VPC is not there yet', () => {
    const step = decideService(
      serviceSituation({ ...notCreated, vpc: waiting, adoption: found('svc-9') }),
    );
    expect(step).toMatchObject({ type: 'write', reason: 'Adopting' });
  });
  test('a service that is only observed does not wait for its VPC, but stalls until its id is given', () => {
    const step = decideService(serviceSituation({ ...notCreated, ...observed, vpc: waiting }));
    expect(step).toMatchObject({ type: 'stall', reason: 'AdoptionFailed' });
  });
});

describe('a replica set is looked for in its service, so an adoption waits for the service:', () => {
  test('the replica set is not taken over while its service is not there yet', () => {
    const step = decideReplicaSet(
      replicaSetSituation({ ...notMade, parent: waiting, adoption: found('rs-9') }),
    );
    expect(step).toMatchObject(waits);
  });
  test('a replica set that is only observed is not taken over while its service is not there yet', () => {
    expect(
      decideReplicaSet(replicaSetSituation({ ...notMade, ...observed, parent: waiting })),
    ).toMatchObject(waits);
  });
});
