import { expect, test } from 'vitest';
import { replyError } from '../../../../src/cloud/read-reply.ts';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { stepAfterOutcome } from '../../../../src/reconcile/report/visit.ts';
import { serviceSituation } from '../../../support/situation.ts';

/** The cloud refuses the DELETE of a resource that it still shows, or no longer shows. */

const deletion = { requested: true, started: true };
const shown = serviceSituation({ deletion });
const unshown = serviceSituation({ deletion, cloud: { state: 'absent' } });

function answered(situation: typeof shown, status: number) {
  const step = decideService(situation);
  const error = replyError(
    'deleteService',
    { status, headers: {}, body: '{"code":"no","message":"no"}', cut: undefined },
    String,
    0,
  );
  if (step.type !== 'call' || step.action.type !== 'delete') return step;
  return stepAfterOutcome({
    situation,
    step,
    outcome: { type: 'failed', error, object: situation.object },
  });
}

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
      message:
        'the cloud refused to delete the service: "no"; remove there the cause of the refusal; tried again at 12:10 UTC',
    },
    { reason: 'Rejected', message: nothingThere },
  ],
  [422, { reason: 'Rejected' }, { reason: 'Rejected', message: nothingThere }],
  [
    409,
    { reason: 'WaitingForCloud', message: busy },
    { reason: 'WaitingForCloud', message: `${busy}${orRetain}` },
  ],
  [405, { reason: 'Rejected' }, { reason: 'Rejected', message: nothingThere }],
  [401, { reason: 'Unauthorized', message: rights }, { reason: 'Unauthorized', message: rights }],
  [403, { reason: 'Unauthorized' }, { reason: 'Unauthorized', message: noRight }],
  [429, { reason: 'RateLimited' }, { reason: 'RateLimited' }],
  [500, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }],
  [503, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }],
])(
  'a DELETE that is answered with %i, of a shown service and of a missing service',
  (status, ...expected) => {
    expect([shown, unshown].map((situation) => answered(situation, status))).toMatchObject(
      expected,
    );
  },
);

function fateAfter(more: object): unknown {
  const step = decideService(
    serviceSituation({
      deletion,
      cloud: { state: 'absent' },
      spec: { deletionPolicy: 'Retain' },
      ...more,
    }),
  );
  return step.type === 'release' && step.released.fate;
}

test('a service that Retain leaves after its deletion began stays; a service whose DELETE the cloud accepted does not', () => {
  expect(fateAfter({})).toBe('retained');
  expect(fateAfter({ lastOperation: { operation: 'delete', wanted: 'svc-1', at: 0 } })).toBe(
    'gone',
  );
});
