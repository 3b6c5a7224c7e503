import { expect, test } from 'vitest';
import { heldSteps, plannedStep } from '../../../src/cli/plan/step.ts';
import { serviceKind } from '../../../src/reconcile/kinds/service/kind.ts';
import { conclude } from '../../../src/reconcile/report/conclude.ts';
import { serviceObject, serviceSituation, type GivenService } from '../../support/situation.ts';
import { visitOf } from '../../support/visit.ts';

const requests = [
  { operation: 'setServiceHighAvailability', ids: [], body: undefined, newId: undefined },
] as const;
const standbys = (haReplicas: number, wanted: number): GivenService => ({
  seen: { ha_replicas: { replica_count: haReplicas, sync_replica_count: 0 } },
  spec: { highAvailability: { replicaCount: wanted } },
});

test.each([
  ['a standby less may interrupt connections', 2, 1, 'interruption'],
  ['the end of all standbys may interrupt connections', 1, 0, 'interruption'],
  ['another standby has no effect on apps', 1, 2, 'none'],
] as const)('in a plan, %s, held or not', (_sentence, before, wanted, impact) => {
  const situation = serviceSituation(standbys(before, wanted));
  const visit = visitOf(serviceKind, situation, serviceKind.decide(situation), {
    outcome: { type: 'done', object: situation.object },
  });
  expect(plannedStep(visit, requests, () => undefined)).toMatchObject({ impact });
  const rules = { levels: [], approval: 'Required' } as const;
  const held = serviceSituation({ ...standbys(before, wanted), rules, wallTime: 0 });
  const { status } = conclude(visitOf(serviceKind, held, serviceKind.decide(held)));
  expect(heldSteps(serviceObject({}, {}, { status }))).toMatchObject([{ impact }]);
});

test('a plan shows the held change of a service that is stopped, with the opening of its window', () => {
  const change = { operation: 'resizeService', change: '1000m/4GB -> 2000m/8GB' };
  const until = '2026-11-28T01:00:00.000Z';
  const since = '2026-11-21T12:00:00.000Z';
  const heldChanges = [{ ...change, waitsFor: 'Window', until, since }];
  const conditions = [
    { type: 'Synced', status: 'False', reason: 'Stopped', message: '', lastTransitionTime: since },
  ];
  const stopped = serviceObject({}, {}, { status: { heldChanges, conditions } });
  expect(heldSteps(stopped)).toEqual([
    {
      operation: 'resizeService',
      changesCloud: true,
      text: 'resize 1000m/4GB -> 2000m/8GB',
      impact: 'interruption',
      held: `waits for a window at ${until}`,
    },
  ]);
  expect(heldSteps(undefined)).toEqual([]);
});
