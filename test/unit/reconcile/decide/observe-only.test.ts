import { describe } from 'vitest';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, decides } from '../../../support/policy-rows.ts';
import { noon } from '../../../support/situation.ts';

const observed = (message = 'the service is observed and never changed') =>
  ({ type: 'done', reason: 'Observed', message, ...(message.includes('it differs') && { differs: true }) }) as const;
const spec = { managementPolicy: 'Observe' };
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;
const byOperator = observed('the service is observed and never changed: the operator runs with --management-policy Observe');

describe('a resource that is only observed', () => {
  allDecide([
    ['is Observed', { spec }, observed()],
    ['is Observed where the operator only looks', onlyLooks, byOperator],
    [
      'is Observed where the operator only looks, whatever the spec says',
      { ...onlyLooks, spec: { managementPolicy: 'Manage' } },
      byOperator,
    ],
  ]);
  decides([
    [
      'is managed if the spec says so',
      { spec: { managementPolicy: 'Manage' } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
    [
      'is told where it differs',
      { spec: { ...spec, cpuMillis: 2000, environment: 'DEV' } },
      observed('never changed; it differs: cpuMillis/memoryGbs is 1000m/4GB, not 2000m/4GB, environment is none, not DEV'),
    ],
    [
      'is told where it differs, also to an operator that only looks',
      { ...onlyLooks, spec: { environment: 'DEV' } },
      observed('--management-policy Observe; it differs: environment is none, not DEV'),
    ],
    [
      'is told by the name alone where values are nobody’s business',
      { spec, password: { state: 'rotated', origin: 'rotation 2' } },
      observed('it differs: password'),
    ],
    ['is Observed while the cloud is at work', { spec, seen: { status: 'CONFIGURING' } }, observed()],
    ['is Observed while it is stopped', { spec, seen: { status: 'PAUSED' } }, observed()],
    [
      'is kept by an operator that only looks, though its deletion had begun: in a copy of a cluster that is the deletion of another',
      { ...onlyLooks, deletion: { requested: true, started: true } },
      { type: 'release', message: 'the service stays in the cloud' },
    ],
    [
      'is lost like any other',
      { spec, cloud: { state: 'absent' } },
      { type: 'stall', reason: 'Lost', message: 'service svc-1 is gone from the cloud (404)' },
    ],
    [
      'is read like any other',
      { spec, cloud: { state: 'missing', again: noon } },
      { type: 'wait', reason: 'WaitingForCloud', afterMs: 0, message: 'the cloud does not show service svc-1 yet' },
    ],
  ]);
});
