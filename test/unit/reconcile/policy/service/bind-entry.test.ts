import { describe } from 'vitest';
import { ledgerEntry, unreadableEntry } from '../../../../support/ledger-entry.ts';
import { absent, current, outdated, unusable } from '../../../../support/our-secret.ts';
import { rotate } from '../../../../support/passwords.ts';
import { decides } from '../../../../support/policy-rows.ts';
import { morning, recordOf, type GivenService } from '../../../../support/situation.ts';

/** The ledger entry of an object is about the resource of the object. */

const binds = (more: object = {}) =>
  ({
    type: 'write',
    action: { type: 'bindEntry', id: 'svc-1', projectId: 'prj-1', outcome: 'created', secret: 'orders-db', requested: undefined, ...more },
    message: 'the ledger entry is about service svc-1 now',
  }) as const;
const none: GivenService = { entry: undefined, secret: absent({ password: undefined }) };
const other: GivenService = { ...none, entry: ledgerEntry({ id: 'svc-0' }) };
const empty: GivenService = {
  ...none,
  entry: ledgerEntry({ id: undefined, projectId: undefined, outcome: undefined, hasPassword: false }),
};
const wasAdopted: GivenService = { record: recordOf('svc-1', { outcome: 'adopted' }) };
const unreadable = {
  type: 'stall',
  reason: 'NotBound',
  message: 'cannot be read: restore Secret managedservice-uid in namespace managed-db-ledger from a backup',
  retryAfterMs: 60_000,
} as const;
const dev = { spec: { environment: 'DEV' } };

describe('a ledger entry', () => {
  decides([
    ['that is missing is created for the service', none, binds()],
    ['without an id is bound to the service', empty, binds()],
    ['about another service is bound to the service', other, binds()],
    [
      'is bound before the next password of another service can be sent',
      { entry: ledgerEntry({ id: 'svc-0', next: { from: 'rotation r0' } }) },
      binds(),
    ],
    ['about the service is left', {}, { type: 'done', reason: 'Available' }],
    ['is bound before the password of the spec is set', { ...none, ...rotate }, binds()],
    ['is bound before a change in the cloud', { ...none, ...dev }, binds()],
    ['is bound before the connection Secret is created', { ...none, secret: absent({ password: undefined }) }, binds()],
    ['is bound while a foreign Secret has the name of the connection Secret', { ...none, secret: unusable }, binds()],
    [
      'is bound with the name of the connection Secret, which may have the password',
      { ...none, secret: outdated(false, { name: 'mine', password: undefined }) },
      binds({ secret: 'mine' }),
    ],
    [
      'is not bound while the cloud works on the service',
      { ...none, seen: { status: 'CONFIGURING' } },
      { type: 'wait', reason: 'Creating', inProgressSince: Date.parse(morning), message: 'the cloud is creating the service' },
    ],
    ['is not bound if the object only observes', { ...none, spec: { managementPolicy: 'Observe' } }, { type: 'done', reason: 'Observed' }],
  ]);
});

describe('a ledger entry of an adopted service', () => {
  decides([
    ['is bound as adopted', { ...none, ...wasAdopted }, binds({ outcome: 'adopted' })],
    [
      'is bound with the rotation text that was there at the adoption',
      { ...none, ...wasAdopted, spec: { password: { rotation: 'r1' } } },
      binds({ outcome: 'adopted', requested: 'rotation r1' }),
    ],
    [
      'is bound as adopted if the record does not know how the service came to be',
      { ...none, record: { outcome: undefined } },
      binds({ outcome: 'adopted' }),
    ],
  ]);
});

describe('a ledger entry that cannot be read', () => {
  const given: GivenService = { entry: unreadableEntry, secret: current({ password: undefined }) };
  decides([
    ['is reported', given, unreadable],
    ['lets no password be set', { ...given, ...rotate }, unreadable],
    ['lets no change be made', { ...given, ...dev }, unreadable],
  ]);
});
