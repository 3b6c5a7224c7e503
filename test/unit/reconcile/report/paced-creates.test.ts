import { expect, test } from 'vitest';
import { CloudError, type CloudErrorDetails } from '../../../../src/cloud/cloud-error.ts';
import { serviceKind } from '../../../../src/reconcile/kinds/service/kind.ts';
import { statusAfter as reported } from '../../../../src/reconcile/report/status.ts';
import { stepAfterOutcome } from '../../../../src/reconcile/report/visit.ts';
import { nextCreateInMs } from '../../../../src/reconcile/step/create-backoff.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { creates } from '../../../support/policy-rows.ts';
import { visitOf } from '../../../support/visit.ts';
import {
  noon,
  notCreated,
  serviceObject,
  serviceSituation,
  type GivenService,
} from '../../../support/situation.ts';

/** The status after each answer to a create: the message, and the back-off until the next create. */

const id = 'abcdefgh';
const says = { sent: true, fromApi: true } as const;
const unclear = { sent: true, fromApi: false } as const;

/** The status after this answer to a create. @param earlier the status before */
function statusAfter(
  details: Omit<CloudErrorDetails, 'operation'>,
  given: GivenService = notCreated,
) {
  const situation = serviceSituation(given);
  const error = new CloudError({ operation: 'createService', ...details });
  const outcome = { type: 'failed', error, object: serviceObject(), attempt: id } as const;
  const create = {
    type: 'call',
    action: creates({}),
    reason: 'Creating',
    message: '',
  } as const;
  const step = stepAfterOutcome({ situation, step: create, outcome });
  const status = reported(visitOf(serviceKind, situation, step, { outcome }), undefined);
  return managedServices.parse({ metadata: situation.object.metadata, spec: {}, status }).status;
}

test.each<[sentence: string, details: Omit<CloudErrorDetails, 'operation'>, refusal: object]>([
  ['no that a person can end', { ...says, kind: 'invalid', status: 422 }, { stalled: 'Rejected' }],
  [
    'no that time may end',
    { ...says, kind: 'conflict', status: 409 },
    { waiting: 'WaitingForCloud' },
  ],
  [
    'failure before a byte was sent',
    { sent: false, fromApi: false, kind: 'network' },
    { waiting: 'CloudUnavailable' },
  ],
  [
    'failure of the cloud',
    { ...says, kind: 'server', status: 502 },
    { waiting: 'ResolvingCreate' },
  ],
  ['missing answer', { ...unclear, kind: 'timeout' }, { waiting: 'ResolvingCreate' }],
  ['broken connection', { ...unclear, kind: 'network' }, { waiting: 'ResolvingCreate' }],
  [
    "proxy's page that looks like a no",
    { ...unclear, kind: 'invalid', status: 400 },
    { waiting: 'ResolvingCreate' },
  ],
  [
    'answer about another resource',
    { ...unclear, kind: 'unreadable', field: 'the id old' },
    { waiting: 'ResolvingCreate' },
  ],
])('after a %s the next create waits', (_, details, refusal) => {
  const status = statusAfter(details);
  expect(status?.refusal).toMatchObject({
    failures: 1,
    generation: 1,
    at: new Date(noon).toISOString(),
    ...refusal,
  });
  expect(status?.refusal?.message).toBe(status?.conditions?.[1]?.message);
});

test('unclear answers in a row count like refusals, and with them', () => {
  const before = { ...notCreated, status: { ...notCreated.status, refusal: refused(4) } };
  const { refusal } = statusAfter({ ...unclear, kind: 'timeout' }, before) ?? {};
  expect(refusal?.failures).toBe(5);
  expect(nextCreateInMs({ failures: 5, stalled: undefined })).toBe(160_000);
});

const refused = (failures: number) => ({
  generation: 1,
  failures,
  at: '2026-11-21T11:50:00.000Z',
  message: 'no',
});

test.each<[string, GivenService, number | undefined]>([
  ['nothing is there', notCreated, 2],
  ['the lost one is not replaced yet', { cloud: { state: 'absent' } }, 2],
  ['it is not seen whether it is lost', { cloud: { state: 'missing', again: noon } }, 2],
  ['something is there', {}, undefined],
])('the back-off lasts until something is there: %s', (_, given, failures) => {
  const situation = serviceSituation({
    ...given,
    status: { ...notCreated.status, refusal: refused(2) },
  });
  const step = { type: 'wait', reason: 'WaitingForCloud', message: '' } as const;
  const status = reported(visitOf(serviceKind, situation, step), undefined);
  expect(status).toMatchObject({ refusal: failures && { failures } });
});
