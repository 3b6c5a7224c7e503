import { expect, test } from 'vitest';
import { decideService, serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { conclude } from '../../../../src/reconcile/report/conclude.ts';
import { notReady, readyStatus } from '../../../support/asking-statuses.ts';
import { noon, recordOf, serviceSituation, type GivenService } from '../../../support/situation.ts';
import { freshMemory, visitOf } from '../../../support/visit.ts';

const adopted = recordOf('svc-1', { outcome: 'adopted' });
const smaller = { cpuMillis: 500, memoryGbs: 2, environment: 'PROD' };
const adopting = { ...notReady('Reconciling', 'Adopting'), id: 'svc-1' };
const differs =
  'the adopted service differs from the spec, and the operator changes it: size 1000m/4GB -> 500m/2GB, environment none -> PROD';

/** The Warning events of a visit that makes the first pending change. */
function warnings(given: GivenService) {
  const situation = serviceSituation(given);
  const visit = visitOf(serviceKind, situation, decideService(situation), {
    outcome: { type: 'done', object: situation.object },
    memory: freshMemory(),
    endedAt: noon,
  });
  return conclude(visit).seen.flatMap(({ event }) =>
    event?.type === 'Warning' ? [event.message] : [],
  );
}

test.each<[sentence: string, given: GivenService]>([
  ['before any status', { spec: smaller, record: adopted, status: { id: undefined } }],
  ['after the status of the adoption', { spec: smaller, record: adopted, status: adopting }],
])('the first change after an adoption is a warning with all differences, %s', (_, given) => {
  expect(warnings(given)).toEqual([differs]);
});

test.each<[sentence: string, given: GivenService]>([
  ['a change of a created service', { spec: smaller, status: adopting }],
  [
    'a later change of an adopted service',
    { spec: smaller, record: adopted, status: { ...readyStatus, id: 'svc-1' } },
  ],
  ['an adopted service that is as its spec says', { record: adopted, status: adopting }],
])('%s is no such warning', (_, given) => {
  expect(warnings(given)).toEqual([]);
});
