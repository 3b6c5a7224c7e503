import { expect, test } from 'vitest';
import { whyNoWake } from '../../../src/cli/commands/wake.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';

const hours = { runningHours: ['Mon-Fri 07:00-20:00 UTC'] };
const deleted = { deletionTimestamp: '2026-11-28T18:00:00Z' };
const observed = {
  conditions: [
    {
      type: 'Synced',
      status: 'True',
      reason: 'Observed',
      message: 'the operator runs with --management-policy Observe',
      lastTransitionTime: '2026-11-28T18:00:00Z',
    },
  ],
};

test.each<[sentence: string, spec: object, words: RegExp, more?: object]>([
  ['with running hours', hours, /^it has an effect$/u],
  [
    'that is managed',
    { ...hours, managementPolicy: 'Manage', suspend: false },
    /^it has an effect$/u,
  ],
  ['without running hours', {}, /no spec\.runningHours: .* set spec\.powerState to Running/u],
  ['that is suspended', { ...hours, suspend: true }, /managed-db resume msvc\/orders -n shop/u],
  [
    'that is only observed',
    { ...hours, managementPolicy: 'Observe' },
    /only observed: start the service in the cloud/u,
  ],
  [
    'of an operator that only observes',
    hours,
    /only observed: start the service in the cloud/u,
    { status: observed },
  ],
  ['that is being deleted', hours, /is being deleted/u, { metadata: deleted }],
])(
  'wake knows whether, and says why not, it has an effect on a service %s',
  (_, spec, words, more) => {
    const { metadata, status }: { metadata?: object; status?: object } = more ?? {};
    const service = managedServices.parse({
      metadata: { name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1', ...metadata },
      spec,
      status,
    });
    expect(whyNoWake(service) ?? 'it has an effect').toMatch(words);
  },
);
