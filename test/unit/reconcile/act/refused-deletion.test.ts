import { expect, test } from 'vitest';
import { replyError } from '../../../../src/cloud/read-reply.ts';
import { afterRefusedDelete } from '../../../../src/reconcile/act/delete.ts';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { stepAfterOutcome } from '../../../../src/reconcile/report/visit.ts';
import { serviceSituation } from '../../../support/situation.ts';

/** The cloud refuses the DELETE of a resource that it still shows, no longer shows, or calls deleted. */

const deletion = { requested: true, started: true };
const shown = serviceSituation({ deletion });
const unshown = serviceSituation({ deletion, cloud: { state: 'absent' } });
const calledDeleted = serviceSituation({ deletion, cloud: { state: 'absent', word: 'DELETED' } });

function answered(situation: typeof shown, status: number, body = '{"message":"no"}') {
  const step = decideService(situation);
  const error = replyError('deleteService', { status, headers: {}, body, cut: undefined }, String);
  if (step.type !== 'call' || step.action.type !== 'delete') return step;
  const outcome = afterRefusedDelete(error, situation.object, step.action);
  return outcome.type === 'failed' ? stepAfterOutcome({ situation, step, outcome }) : outcome;
}

const asAnswer = { type: 'done', accepted: { operation: 'delete', wanted: 'svc-1' } } as const;
const orRetain = ', or set spec.deletionPolicy to Retain to release this object';
const noRight = `the cloud refused to delete the service: "no"; the list lacks the service: allow the API key to delete${orRetain}`;
const nothingThere = `the cloud refused to delete the service: "no"; the list lacks the service: the operator repeats the DELETE later${orRetain}`;

const busy = 'the cloud cannot delete the service now: "no"; tried again until it can';
const rights = 'the cloud refused to delete the service: "no"; check the rights of the API key';

test.each([
  [
    400,
    {
      reason: 'Rejected',
      message: 'the cloud refused to delete the service: "no"; remove there the cause of the refusal; tried again at 12:10 UTC',
    },
    { reason: 'Rejected', message: nothingThere },
    asAnswer,
  ],
  [422, { reason: 'Rejected' }, { reason: 'Rejected', message: nothingThere }, asAnswer],
  [409, { reason: 'WaitingForCloud', message: busy }, { reason: 'WaitingForCloud', message: `${busy}${orRetain}` }, asAnswer],
  [405, { reason: 'Rejected' }, { reason: 'Rejected', message: nothingThere }, { reason: 'Rejected' }],
  [401, { reason: 'Unauthorized', message: rights }, { reason: 'Unauthorized', message: rights }, { reason: 'Unauthorized' }],
  [403, { reason: 'Unauthorized' }, { reason: 'Unauthorized', message: noRight }, { reason: 'Unauthorized' }],
  [429, { reason: 'RateLimited' }, { reason: 'RateLimited' }, { reason: 'RateLimited' }],
  [500, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }],
  [503, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }],
])('a DELETE that is answered with %i, of what is shown, of what is not, and of what is called DELETED', (status, ...expected) => {
  expect([shown, unshown, calledDeleted].map((situation) => answered(situation, status))).toMatchObject(expected);
});

test.each([400, 409])('the page of a proxy, with %i, is no answer of the cloud', (status) => {
  expect(answered(calledDeleted, status, '<html>')).not.toMatchObject(asAnswer);
});

function fateAfter(more: object): unknown {
  const step = decideService(serviceSituation({ deletion, cloud: { state: 'absent' }, spec: { deletionPolicy: 'Retain' }, ...more }));
  return step.type === 'release' && step.released.fate;
}

test('a service that Retain leaves after its deletion began stays; a service whose DELETE the cloud accepted does not', () => {
  expect(fateAfter({})).toBe('retained');
  expect(fateAfter({ lastOperation: { operation: 'delete', wanted: 'svc-1', at: 0 } })).toBe('gone');
});
