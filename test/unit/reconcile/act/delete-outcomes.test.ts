import { expect, test } from 'vitest';
import { CloudError } from '../../../../src/cloud/cloud-error.ts';
import { afterDelete } from '../../../../src/reconcile/act/delete.ts';
import { stall } from '../../../../src/reconcile/step/step.ts';
import { serviceObject } from '../../../support/situation.ts';

const notFound = new CloudError({
  operation: 'deleteService',
  kind: 'notFound',
  sent: true,
  fromApi: true,
});
const inVain = stall('NotApplied', 'an earlier one had no effect');

test.each([
  [
    'that the cloud accepts is waited for',
    undefined,
    undefined,
    ['accepted svc-1'],
    { type: 'done' },
  ],
  [
    'that finds nothing is no acceptance, and lists tell what is gone',
    notFound,
    undefined,
    ['denied svc-1'],
    { type: 'done' },
  ],
  [
    'that the cloud accepts, like one in vain, is reported',
    undefined,
    inVain,
    ['accepted svc-1'],
    { type: 'stalled', step: inVain },
  ],
  [
    'that finds nothing, though lists go on showing it, has failed',
    notFound,
    inVain,
    ['denied svc-1'],
    { type: 'failed', error: notFound },
  ],
] as const)('a DELETE %s', (_, error, earlier, told, expected) => {
  const calls: string[] = [];
  const list = {
    acceptRemoval: (id: string) => calls.push(`accepted ${id}`),
    denyRemoval: (id: string) => calls.push(`denied ${id}`),
  };
  const change = { operation: 'delete', wanted: 'svc-1' };
  const outcome = afterDelete(error, serviceObject(), { ...change, inVain: earlier }, list);
  expect(outcome).toEqual({
    ...expected,
    object: serviceObject(),
    [expected.type === 'done' ? 'accepted' : 'change']: change,
  });
  expect(calls).toEqual(told);
});
