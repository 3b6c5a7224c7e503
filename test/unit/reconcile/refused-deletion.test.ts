import { expect, test } from 'vitest';
import { replyError } from '../../../src/cloud/read-error.ts';
import { peeringId, vpcId } from '../../../src/cloud/wire/ids.ts';
import { redaction } from '../../../src/cloud/redaction.ts';
import { decideService } from '../../../src/reconcile/kinds/service/kind.ts';
import { orAnswered } from '../../../src/reconcile/report/refused-deletion.ts';
import { stepAfterOutcome } from '../../../src/reconcile/report/visit.ts';
import type { Outcome } from '../../../src/reconcile/step/outcome.ts';
import { call } from '../../../src/reconcile/step/step.ts';
import { serviceSituation } from '../../support/situation.ts';

/** What becomes of an object whose DELETE the cloud refuses, while it shows the resource, and when it does not show it any more. */

const deletion = { requested: true, started: true };
const shown = serviceSituation({ deletion });
const unshown = serviceSituation({ deletion, cloud: { state: 'absent' } });

function answered(situation: typeof shown, status: number, body = '{"message":"no"}') {
  const step = decideService(situation);
  const error = replyError('deleteService', { status, headers: {}, body, cut: undefined }, redaction('key').about([], []));
  const failed: Outcome = { type: 'failed', error, object: situation.object };
  const outcome = orAnswered(failed, step, situation);
  return outcome === failed ? stepAfterOutcome({ situation, step, outcome }) : outcome;
}

const asAnswer = { type: 'done', accepted: { operation: 'delete', wanted: 'svc-1' } } as const;
const orRetain = ', or set spec.deletionPolicy to Retain to let this object go without that; its connection Secret stays then';
const noRight = `the cloud refused to delete the service: "no"; the service is not shown there any more, and only the right to make sure of that with a DELETE is missing: give it to the API key, or use another key of the project${orRetain}`;
const nothingThere = `the cloud refused to delete the service: "no"; the service is not shown there any more, and the DELETE that makes sure of that is tried again in a while${orRetain}`;

test.each([
  [
    400,
    {
      reason: 'Rejected',
      message: 'the cloud refused to delete the service: "no"; remove there what it objects to; tried again in a while',
    },
    asAnswer,
  ],
  [422, { reason: 'Rejected' }, asAnswer],
  [409, { reason: 'WaitingForCloud', message: 'the cloud cannot delete the service now: "no"; tried again until it can' }, asAnswer],
  [405, { reason: 'Rejected' }, { reason: 'Rejected', message: nothingThere }],
  [
    401,
    { reason: 'Unauthorized', message: 'the cloud refused to delete the service: "no"; check the rights of the API key' },
    { reason: 'Unauthorized', message: noRight },
  ],
  [403, { reason: 'Unauthorized' }, { reason: 'Unauthorized', message: noRight }],
  [429, { reason: 'RateLimited' }, { reason: 'RateLimited' }],
  [500, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }],
  [503, { reason: 'CloudUnavailable' }, { reason: 'CloudUnavailable' }],
])('a DELETE that is answered with %i, of what is shown and of what is not', (status, ofShown, ofUnshown) => {
  expect(answered(shown, status)).toMatchObject(ofShown);
  expect(answered(unshown, status)).toMatchObject(ofUnshown);
});

test.each([400, 409])('the page of a proxy, with %i, is no answer of the cloud', (status) => {
  expect(answered(unshown, status, '<html>')).not.toMatchObject(asAnswer);
});

test.each([
  ['is not shown any more is an answer', true, { type: 'done', accepted: { operation: 'deletePeering', wanted: 'p1' } }],
  ['is shown is none', false, { type: 'failed' }],
])('a clear refusal to remove a peering that %s', (_, isUnshown, expected) => {
  const error = replyError(
    'deletePeering',
    { status: 409, headers: {}, body: '{"code":"no"}', cut: undefined },
    redaction('key').about([], []),
  );
  const ids = { vpcId: vpcId.parse('vpc-1'), id: peeringId.parse('p1') };
  const step = call(
    { type: 'deletePeering', ...ids, key: '1/eu/a', record: undefined, isUnshown },
    { reason: 'PeeringPending', message: '' },
  );
  expect(orAnswered({ type: 'failed', error, object: shown.object }, step, shown)).toMatchObject(expected);
});

function keepsSecrets(more: object): unknown {
  const step = decideService(serviceSituation({ deletion, cloud: { state: 'absent' }, spec: { deletionPolicy: 'Retain' }, ...more }));
  return step.type === 'release' && step.released.keepsSecrets;
}

test('what is left by Retain after its deletion began keeps its Secret; what is gone does not', () => {
  expect(keepsSecrets({})).toBe(true);
  expect(keepsSecrets({ lastOperation: { operation: 'delete', wanted: 'svc-1', at: 0 } })).toBe(false);
});
