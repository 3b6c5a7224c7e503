import { describe, expect } from 'vitest';
import type { ObservedAdoption } from '../../../../src/reconcile/situation/situation.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, creates, decides } from '../../../support/policy-rows.ts';
import { cloudError, firstOf, noon, notCreated } from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

const observe = { managementPolicy: 'Observe' };
const onlyLooks = { options: { ...defaultOptions, managementPolicy: 'Observe' } } as const;
const operatorsOwn = { account: usableKey({ operatorsOwn: true }) };
const shared = { options: { ...defaultOptions, sharedProjectAdoption: true } };
const absent = { cloud: { state: 'absent' } } as const;
const lost = { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-1' } } as const;
const taken = { sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] } } as const;
const found = { adoption: { state: 'found', id: 'svc-2' } } as const;
const refusedFor = (inMs: number, more: object = {}) => ({
  createFailedAt: noon - 10_000 + inMs,
  status: {
    refusal: {
      attempt: 'x',
      generation: 1,
      failures: 1,
      at: '2026-11-21T11:59:00.000Z',
      message: 'the cloud is full',
      ...more,
    },
  },
});
const says = (adoption: ObservedAdoption) => ({ adoption }) as const;
const owned = (namespace: string) =>
  ({ state: 'owned', id: 'svc-2', owner: firstOf(namespace) }) as const;
const stalled = (reason: string, message: string, retryAfterMs: number | undefined = 60_000) =>
  ({
    type: 'stall',
    reason,
    message,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  }) as const;

/** The rows run for each kind. */
const anyNoun: unknown = expect.stringMatching(/^(service|VPC|replica set)$/u);

describe('a resource that external-id names', () => {
  const adopts = (more: object = {}) =>
    ({
      type: 'write',
      reason: 'Adopting',
      action: {
        type: 'adopt',
        noun: anyNoun,
        id: 'svc-2',
        record: { ...record, ...more },
      },
      message: 'taking over service svc-2',
    }) as const;
  const record = {
    id: 'svc-2',
    outcome: 'adopted',
    projectId: 'prj-1',
  } as const;
  const nowhere = says({ state: 'notFound', id: 'svc-2' });
  allDecide([
    ['is taken over', { ...notCreated, ...found }, adopts()],
    [
      'is adopted by an object that only observes',
      { ...notCreated, ...found, spec: observe },
      adopts(),
    ],
    [
      'is adopted by an operator that only observes',
      { ...notCreated, ...found, ...onlyLooks },
      adopts(),
    ],
    ['is adopted in place of a lost resource', { ...lost, ...found }, adopts()],
    [
      'is adopted even if its own name is reported as taken',
      { ...notCreated, ...found, ...taken, spec: { name: 'orders' } },
      adopts(),
    ],
    [
      'is adopted even if the cloud refused a create',
      { ...notCreated, ...found, ...refusedFor(5_000), status: { id: undefined } },
      adopts(),
    ],
    [
      "is not looked for with the operator's key",
      { ...notCreated, ...says({ state: 'notAllowed', id: 'svc-2' }) },
      {
        type: 'stall',
        reason: 'NotAllowed',
        message:
          "managed-db.io/external-id svc-2 may be anything in the operator's project: set spec.credentialsRef",
      },
    ],
    [
      'is waited for while it cannot be read',
      { ...notCreated, ...says({ state: 'unknown', id: 'svc-2', error: cloudError() }) },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        message: 'the cloud fails (HTTP 500)',
      },
    ],
    [
      'stalls if it does not exist, and no resource is created',
      { ...notCreated, ...nowhere },
      stalled(
        'AdoptionFailed',
        'there is no service svc-2 in project prj-1, or it is being deleted: correct managed-db.io/external-id, or the credentials',
      ),
    ],
    [
      'stalls if it does not exist, and no resource is recreated',
      { ...lost, ...nowhere },
      stalled('AdoptionFailed', 'there is no service svc-2'),
    ],
    [
      'stalls if it does not exist and the object only observes',
      { ...notCreated, ...nowhere, spec: observe },
      stalled('AdoptionFailed', 'there is no service svc-2'),
    ],
    [
      'stalls if it differs from the spec in a fixed field',
      {
        ...notCreated,
        ...says({ state: 'mismatch', id: 'svc-2', mismatch: 'spec.regionCode is eu and not us' }),
      },
      stalled(
        'AdoptionFailed',
        'service svc-2 is not as the spec says, and cannot be changed: spec.regionCode is eu and not us; correct the spec, or managed-db.io/external-id',
      ),
    ],
    [
      'stalls if it belongs to an object of the namespace',
      { ...notCreated, ...says(owned('shop')) },
      stalled(
        'OwnedByAnother',
        'service svc-2 belongs to ManagedService first: delete this object, which keeps it in the cloud: kubectl delete managedservices orders -n shop',
      ),
    ],
    [
      'stalls if it belongs to an object of a second namespace',
      { ...notCreated, ...says(owned('bank')) },
      stalled(
        'OwnedByAnother',
        'service svc-2 belongs to a ManagedService of another namespace: delete this object, which keeps it in the cloud: kubectl',
      ),
    ],
  ]);
});
const asks = (id: string) =>
  ({
    type: 'stall',
    reason: 'NotBound',
    message: `external-id=${id}`,
    retryAfterMs: 60_000,
  }) as const;
const anyway = (ids: string) => ({ annotations: { 'managed-db.io/create-anyway': ids } });

describe('a service of an earlier object of the same name', () => {
  decides([
    ['is asked about', { ...notCreated, leftovers: [{ id: 'svc-9' }] }, asks('svc-9')],
    [
      'is asked about though create-anyway is true',
      { ...notCreated, leftovers: [{ id: 'svc-9' }], ...anyway('true') },
      asks('svc-9'),
    ],
    [
      'is asked about after a second such service was declined',
      { ...notCreated, leftovers: [{ id: 'svc-8' }, { id: 'svc-9' }], ...anyway('svc-8') },
      asks('svc-9'),
    ],
    [
      'is asked about beside another such service, so that a user chooses',
      { ...notCreated, leftovers: [{ id: 'svc-9' }, { id: 'svc-8' }] },
      {
        ...asks('<id>'),
        message:
          'earlier objects left services svc-9, svc-8, the latest first: annotate managed-db.io/external-id=<id> to adopt, or managed-db.io/create-anyway=svc-9,svc-8 to create another',
      },
    ],
    [
      'is declined by its id',
      { ...notCreated, leftovers: [{ id: 'svc-9' }], ...anyway('svc-9') },
      { type: 'call', action: creates(), reason: 'Creating', message: 'creating the service' },
    ],
    [
      'is asked about by the name of its create if the reply is unknown',
      { ...notCreated, leftovers: [{ id: 'abcdefgh', asked: 'orders-abcdef' }] },
      { ...asks('<id>'), message: 'an earlier object may have created service "orders-abcdef"' },
    ],
    [
      'is no question for an object with a service',
      { leftovers: [{ id: 'svc-9' }] },
      { type: 'done', reason: 'Available', message: 'the service is available' },
    ],
  ]);
});

const nothingThere = (message: string) =>
  ({ type: 'stall', reason: 'AdoptionFailed', message }) as const;

describe('an object that only observes, without a resource,', () => {
  const bySpec = nothingThere(
    'spec.managementPolicy is Observe and there is no service to observe: annotate managed-db.io/external-id=<id> to name it, or set spec.managementPolicy to Manage',
  );
  const byOperator = nothingThere(
    'the operator runs with --management-policy Observe and there is no service to observe: annotate managed-db.io/external-id=<id> to name it',
  );
  allDecide([
    ['is told the annotation external-id', { ...notCreated, spec: observe }, bySpec],
    [
      'is told that an operator with Observe creates no resource',
      { ...notCreated, ...onlyLooks },
      byOperator,
    ],
    ['recreates no lost resource', { ...lost, spec: observe }, bySpec],
    [
      'recreates no lost resource if the operator only observes',
      { ...lost, ...onlyLooks },
      byOperator,
    ],
    [
      'stalls before a name that is taken is reported',
      { ...notCreated, ...taken, spec: { ...observe, name: 'orders' } },
      bySpec,
    ],
    [
      'stalls before an earlier refusal is reported',
      { ...notCreated, ...refusedFor(5_000), spec: observe },
      bySpec,
    ],
    [
      "is told of its own key with the operator's",
      { ...notCreated, ...operatorsOwn, spec: observe },
      nothingThere(
        'set spec.credentialsRef and annotate managed-db.io/external-id=<id> to name it, or set spec.managementPolicy to Manage',
      ),
    ],
    [
      "is told how to name one with the operator's key where adoption is allowed",
      { ...notCreated, ...operatorsOwn, ...shared, spec: observe },
      bySpec,
    ],
  ]);
});

describe('an empty external-id', () => {
  allDecide([
    [
      'creates nothing, since a value is missing in the manifest',
      { ...notCreated, annotations: { 'managed-db.io/external-id': '' } },
      {
        type: 'stall',
        reason: 'AdoptionFailed',
        message:
          'managed-db.io/external-id is empty: name the id of the service, or remove the annotation for a new service',
        retryAfterMs: 60_000,
      },
    ],
  ]);
  decides([
    [
      'changes nothing for an object with a resource',
      { annotations: { 'managed-db.io/external-id': '' } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
  ]);
});
