import { expect, test } from 'vitest';
import { connectionAnnotations } from '../../../../../src/resources/connection-secret.ts';
import { ourSecret } from '../../../../support/our-secret.ts';
import { noon, recordOf, serviceSituation, type GivenService } from '../../../../support/situation.ts';
import { decided, type Row } from '../../../../support/decided.ts';
import { available, paused, stopped, stored } from '../../../../support/steps.ts';

/** Nothing is left to do: what is said then; and the Secret that apps read, which comes before that. */

const says = (message: string) => ({ ...available, message });
const place = { name: 'orders-db', pending: undefined, pendingBlocked: undefined } as const;
const unmanaged = recordOf('svc-1', { password: 'unmanaged' });

const done: readonly Row[] = [
  ['where it is, and where the connection is', {}, available],
  [
    'the cloud shows no address',
    { seen: { endpoint: undefined } },
    says('the service is available; Secret "orders-db" has the connection'),
  ],
  [
    'the cloud shows no port',
    { seen: { endpoint: { host: 'db.example.com' } } },
    says('the service is available at db.example.com:; Secret "orders-db" has the connection'),
  ],
  [
    'nobody has told the password',
    { record: unmanaged, secret: ourSecret({ password: 'none' }) },
    says(`${available.message}, without a password: nobody has told it; set one with spec.password`),
  ],
  ['of a Secret that nobody has looked at nothing is said', { record: unmanaged, secret: { ...place, state: 'unread' } }, available],
  ['it is stopped', { seen: paused }, stopped('the service is stopped; set spec.powerState to Running to start it')],
  ['it is stopped, as asked', { seen: paused, spec: { powerState: 'Stopped' } }, stopped('the service is stopped, as asked')],
];

const { connection } = serviceSituation();
const annotated = (name: string, value: string): GivenService => ({ secret: ourSecret({ metadata: { annotations: { [name]: value } } }) });
const upToDate = stored('is brought up to date');

const secrets: readonly Row[] = [
  ['it is missing', { record: unmanaged, secret: { ...place, state: 'absent' } }, stored('is missing')],
  ['nobody has looked at it', { secret: { ...place, state: 'unread' } }, available],
  ['it has no digest of its password', { secret: ourSecret({ password: 'unmarked' }) }, upToDate],
  ['the address is another', { connection: { ...connection, direct: { host: 'new.example.com', port: 5432 } } }, upToDate],
  ['the pooler is on', { connection: { ...connection, pooler: { host: 'pool.example.com', port: 6432 } } }, upToDate],
  ['the VPC is attached', { connection: { ...connection, vpc: { host: 'vpc.example.com', port: 5432 } } }, upToDate],
  ['its keys do not say the same', { secret: ourSecret({ consistent: false }) }, upToDate],
  ['its id is another', annotated(connectionAnnotations.id, 'svc-2'), upToDate],
  ['its cluster is another', annotated(connectionAnnotations.clusterUid, 'elsewhere'), upToDate],
  ['its label is gone', { secret: ourSecret({ metadata: { labels: {} } }) }, upToDate],
  ['its finalizer is gone', { secret: ourSecret({ metadata: { finalizers: [] } }) }, upToDate],
  ['the user wants a label on it', { spec: { connectionSecret: { labels: { team: 'shop' } } } }, upToDate],
  ['a label leaves the spec', annotated(connectionAnnotations.asked, '{"labels":["team"],"annotations":[]}'), upToDate],
  ['it is brought up to date while the service is stopped', { seen: paused, secret: ourSecret({ consistent: false }) }, upToDate],
  [
    'it waits while the cloud is at work',
    { seen: { status: 'UPGRADING' }, secret: ourSecret({ consistent: false }) },
    {
      type: 'wait',
      reason: 'WaitingForCloud',
      message: 'the cloud is at work on the service (UPGRADING)',
      inProgressSince: Date.parse('2026-11-21T09:00:00.000Z'),
    },
  ],
  [
    'it is brought up to date before a VPC is waited for',
    { now: noon, vpc: { state: 'waiting', message: 'spec.vpcRef "prod" not found' }, secret: ourSecret({ consistent: false }) },
    upToDate,
  ],
];

test.each(done)('%s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});

test.each(secrets)('the connection Secret: %s', (_, given, expected) => {
  expect(decided(given)).toEqual(expected);
});
