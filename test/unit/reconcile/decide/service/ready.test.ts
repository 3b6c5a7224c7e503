import { expect, test } from 'vitest';
import { absent, connection, current, outdated } from '../../../../support/our-secret.ts';
import { adopted } from '../../../../support/passwords.ts';
import { noon } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { available, paused, stopped, stored } from '../../../../support/steps.ts';

/** No change is left: the final message, and before it the write of the Secret that apps read. */

const says = (message: string) => ({ ...available, message });
const withoutEndpoint = { connection: { ...connection, direct: undefined } };
const unnamed = {
  type: 'wait',
  reason: 'WaitingForCloud',
  message: 'the cloud has not named the endpoint of the service yet',
  afterMs: 30_000,
};
const done: readonly Row[] = [
  ['where it is, and where the connection is', {}, available],
  [
    'the cloud has never named the endpoint: the service is not available, and the Secret stays as it is',
    { seen: { endpoint: undefined }, secret: current(withoutEndpoint) },
    unnamed,
  ],
  [
    'the Secret is not updated while the endpoint is not known',
    { seen: { endpoint: undefined }, secret: outdated(false, withoutEndpoint) },
    unnamed,
  ],
  [
    'a stopped service needs no endpoint',
    {
      seen: { ...paused, endpoint: undefined },
      secret: outdated(false, withoutEndpoint),
    },
    stopped('the service is stopped; set spec.powerState to Running to start it'),
  ],
  [
    'the endpoint in status counts while the cloud shows none',
    {
      seen: { endpoint: undefined },
      status: { service: { endpoint: { host: 'before.example', port: 1 } } },
    },
    says('the service is available at before.example:1; Secret "orders-db" has the connection'),
  ],
  [
    'the password is not known',
    adopted,
    says(
      `${available.message}, without a password, which is unknown; set spec.password.rotation for a new password`,
    ),
  ],
  [
    'a stopped service is reported as stopped',
    { seen: paused },
    stopped('the service is stopped; set spec.powerState to Running to start it'),
  ],
  [
    'a stopped service with powerState Stopped is reported as stopped on request',
    { seen: paused, spec: { powerState: 'Stopped' } },
    stopped('the service is stopped, as asked'),
  ],
];

const upToDate = stored('is brought up to date');

const secrets: readonly Row[] = [
  ['a missing Secret is created', { secret: absent() }, stored('is missing or lost its label')],
  [
    'an outdated Secret is updated while the service is stopped',
    { seen: paused, secret: outdated() },
    upToDate,
  ],
  [
    'an outdated Secret is not updated while the cloud is at work',
    { seen: { status: 'UPGRADING' }, secret: outdated() },
    {
      type: 'wait',
      reason: 'WaitingForCloud',
      message: 'the cloud is at work on the service (UPGRADING)',
      inProgressSince: Date.parse('2026-11-21T09:00:00.000Z'),
    },
  ],
  [
    'an outdated Secret is updated before a VPC is waited for',
    {
      now: noon,
      vpc: { state: 'waiting', message: 'spec.vpcRef "prod" not found' },
      secret: outdated(),
    },
    upToDate,
  ],
];

test.each(done)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(secrets)('the connection Secret of a service: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
