import { describe } from 'vitest';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, decides } from '../../../support/policy-rows.ts';
import { noon } from '../../../support/situation.ts';

const observed = (message = 'the service is observed and never changed') =>
  ({
    type: 'done',
    reason: 'Observed',
    message,
    ...(message.includes('it differs') && { differs: true }),
  }) as const;
const spec = { managementPolicy: 'Observe' };
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;
const byOperator = observed(
  'the service is observed and never changed: the operator runs with --management-policy Observe',
);

describe('a resource that is only observed', () => {
  allDecide([
    ['is Observed', { spec }, observed()],
    ['is Observed if the operator only observes', onlyLooks, byOperator],
    [
      'is Observed if the operator only observes, also if the spec says Manage',
      { ...onlyLooks, spec: { managementPolicy: 'Manage' } },
      byOperator,
    ],
  ]);
  decides([
    [
      'is managed if the spec says Manage',
      { spec: { managementPolicy: 'Manage' } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
    [
      'is reported with its differences from the spec',
      { spec: { ...spec, cpuMillis: 2000, environment: 'DEV' } },
      observed(
        'never changed; it differs: cpuMillis/memoryGbs is 1000m/4GB, not 2000m/4GB, environment is none, not DEV',
      ),
    ],
    [
      'is reported with its differences from the spec by an operator that only observes',
      { ...onlyLooks, spec: { environment: 'DEV' } },
      observed('--management-policy Observe; it differs: environment is none, not DEV'),
    ],
    [
      'is reported with the name of a secret field alone, without its value',
      { spec, password: { state: 'rotated', origin: 'rotation 2' } },
      observed('it differs: password'),
    ],
    [
      'is Observed while the cloud is at work',
      { spec, seen: { status: 'CONFIGURING' } },
      observed(),
    ],
    ['is Observed while it is stopped', { spec, seen: { status: 'PAUSED' } }, observed()],
    [
      'is retained by an operator that only observes, even if its deletion has begun, as in a copy of a cluster',
      { ...onlyLooks, deletion: { requested: true, started: true } },
      { type: 'release', message: 'the service stays in the cloud' },
    ],
    [
      'is Lost if it is absent',
      { spec, cloud: { state: 'absent' } },
      { type: 'stall', reason: 'Lost', message: 'service svc-1 is gone from the cloud (404)' },
    ],
    [
      'is looked for again if it is missing without a proof',
      { spec, cloud: { state: 'missing', again: noon } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 0,
        message: 'the cloud does not show service svc-1 yet',
      },
    ],
  ]);
});
