import { describe } from 'vitest';
import {
  absent,
  connection,
  connectionWrite,
  current,
  outdated,
  unread,
  unusable,
} from '../../../support/our-secret.ts';
import { allDecide, decides, type Row } from '../../../support/policy-rows.ts';
import { morning } from '../../../support/situation.ts';
import { changing } from '../../../support/steps.ts';

/** The connection Secret is a projection of the ledger, the cloud and the spec. */

const available = {
  type: 'done',
  reason: 'Available',
  message: 'the service is available at db.example.com:5432; Secret "orders-db" has the connection',
} as const;
const stores = (message: string, isEdited = false) =>
  ({
    type: 'write',
    action: { type: 'storeConnection', isEdited },
    message: `Secret "orders-db" ${message}`,
  }) as const;
const foreign = {
  type: 'stall',
  reason: 'SecretConflict',
  retryAfterMs: 60_000,
  message:
    'Secret "orders-db" exists and was not made for this object: choose another spec.connectionSecret.name, or delete that Secret',
} as const;
const creating = {
  type: 'wait',
  reason: 'Creating',
  inProgressSince: Date.parse(morning),
  message: 'the cloud is creating the service (CONFIGURING)',
} as const;
const setsEnvironment = {
  type: 'call',
  reason: 'SettingEnvironment',
  action: changing('setServiceEnvironment', ['svc-1', { environment: 'DEV' }], 'none', 'DEV'),
  message: 'setting the environment from none to DEV',
} as const;
const busy = { seen: { status: 'CONFIGURING' } };
const dev = { spec: { environment: 'DEV' } };
const observes = { spec: { managementPolicy: 'Observe' } };
/** Status names the connection Secret, so it existed before. */
const existed = { status: { connectionSecret: { uid: 'secret-uid', resourceVersion: '1' } } };
/** The ledger has a newer password than the Secret. */
const old = { ...outdated(), hasOldPassword: true };
const deleted = { ...existed, secret: absent() };

describe('the connection Secret', () => {
  const rows: readonly Row[] = [
    ['is left if it equals its inputs', { secret: current() }, available],
    [
      'is left while the operator does not read it',
      { secret: { ...unread, hasPassword: true } },
      available,
    ],
    ['is created if it is absent', { secret: absent() }, stores('is missing or lost its label')],
    ['is updated if its inputs changed', { secret: outdated() }, stores('is brought up to date')],
    [
      'is restored if its content was edited',
      { secret: outdated(true) },
      stores('was edited and is restored', true),
    ],
    [
      'is restored before a permission for a recreation is removed',
      { secret: outdated(true), annotations: { 'managed-db.io/allow-recreate': 'svc-0' } },
      stores('was edited and is restored', true),
    ],
    ['is never written if a foreign Secret has its name', { secret: unusable }, foreign],
    [
      'is not created if the object only observes',
      { ...observes, ...deleted },
      { type: 'done', reason: 'Observed', message: 'the service is observed and never changed' },
    ],
  ];
  allDecide(rows);
});

describe('while the cloud is at work, the connection Secret', () => {
  decides([
    [
      'that was deleted is created again',
      { ...busy, ...deleted },
      stores('is missing or lost its label'),
    ],
    [
      'that was edited is restored',
      { ...busy, secret: outdated(true) },
      stores('was edited and is restored', true),
    ],
    [
      'that has an old password gets the password of the ledger',
      { ...busy, secret: old },
      stores('is brought up to date'),
    ],
    ['that never existed is not created', { ...busy, secret: absent() }, creating],
    ['whose inputs changed is not updated', { ...busy, ...existed, secret: outdated() }, creating],
    ['whose name a foreign Secret has is not reported', { ...busy, secret: unusable }, creating],
  ]);
});

describe('before a change in the cloud, the connection Secret', () => {
  decides([
    [
      'that was deleted is created again',
      { ...dev, ...deleted },
      stores('is missing or lost its label'),
    ],
    [
      'that was edited is restored',
      { ...dev, secret: outdated(true) },
      stores('was edited and is restored', true),
    ],
    [
      'that has an old password gets the password of the ledger',
      { ...dev, secret: old },
      stores('is brought up to date'),
    ],
    [
      'that has an old password waits until the cloud shows the address',
      {
        ...dev,
        secret: {
          ...old,
          wanted: connectionWrite({ connection: { ...connection, direct: undefined } }),
        },
      },
      setsEnvironment,
    ],
    ['that never existed is not created', { ...dev, secret: absent() }, setsEnvironment],
    ['whose inputs changed is not updated', { ...dev, secret: outdated() }, setsEnvironment],
    [
      'whose name a foreign Secret has does not stop the change',
      { ...dev, secret: unusable },
      setsEnvironment,
    ],
  ]);
});

describe('a deleted connection Secret', () => {
  decides([
    [
      'is not created again while its object is being deleted',
      { ...deleted, deletion: { requested: true } },
      {
        type: 'call',
        reason: 'Deleting',
        action: { type: 'delete', id: 'svc-1' },
        message: 'the cloud is deleting the service svc-1',
      },
    ],
    [
      'of a lost service is not created again',
      { ...deleted, cloud: { state: 'absent' } },
      { type: 'stall', reason: 'Lost', message: 'service svc-1 is gone from the cloud (404)' },
    ],
    [
      'is not created again from a spec that cannot be read',
      { ...deleted, spec: { name: 5 } },
      { type: 'stall', reason: 'Rejected', message: 'spec.name cannot be read: it is 5' },
    ],
  ]);
});

describe('a connection Secret under an earlier name', () => {
  const others = ['before', 'earlier'] as const;
  const drops = {
    type: 'write',
    action: { type: 'dropConnections', names: others },
    message: 'Secret "before", "earlier" is replaced by "orders-db"',
  } as const;
  decides([
    [
      'is deleted once the Secret of the new name is current',
      { secret: current({}, others) },
      drops,
    ],
    [
      'stays while the Secret of the new name is absent',
      { secret: { ...absent(), others } },
      stores('is missing or lost its label'),
    ],
    [
      'stays while the Secret of the new name is outdated',
      { secret: { ...outdated(), others } },
      stores('is brought up to date'),
    ],
    [
      'stays until the changes in the cloud are made',
      { ...dev, secret: current({}, others) },
      setsEnvironment,
    ],
    [
      'stays if the object only observes',
      { ...observes, secret: current({}, others) },
      { type: 'done', reason: 'Observed', message: 'the service is observed and never changed' },
    ],
  ]);
});
