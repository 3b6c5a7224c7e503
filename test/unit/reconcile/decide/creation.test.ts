import { describe } from 'vitest';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, creates, decides, type Given } from '../../../support/policy-rows.ts';
import { chosenAttempt, cloudError, judged, keySecret, noon, notCreated, opened, recordOf } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';

const operatorsOwn = { account: usableAccount({ operatorsOwn: true }) };
const shared = { options: { ...defaultOptions, sharedProjectAdoption: true } };
const keyOfVersion = (keyVersion: string) => ({ account: usableAccount({ secret: keySecret({ keyVersion }) }) });
const absent = { cloud: { state: 'absent' } } as const;
const lost = { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-1' } } as const;

/** No resource exists: it was not created yet, or a user authorized the recreation of a lost resource. */
const starts: readonly (readonly [sentence: string, given: Given])[] = [
  ['not created yet', notCreated],
  ['to be made again', lost],
];
const creating = { type: 'call', reason: 'Creating', message: 'creating the service', action: creates() } as const;
const remaking = { ...creating, action: creates({ record: recordOf('svc-1') }) } as const;
const rejected = { type: 'stall', reason: 'Rejected', message: 'spec.name cannot be read: it is 5 (' } as const;
const unreadable = { name: 5 };
const taken = { sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] } } as const;
const found = { adoption: { state: 'found', id: 'svc-2', projectId: 'prj-1' } } as const;
const refusedFor = (inMs: number, more: object = {}) => ({
  createFailedAt: noon - 10_000 + inMs,
  status: { refusal: { attempt: 'x', generation: 1, failures: 1, at: '2026-11-21T11:59:00.000Z', message: 'the cloud is full', ...more } },
});

describe('a spec that cannot be read', () => {
  allDecide([
    ...starts.flatMap(([sentence, given]) => [
      [`creates nothing (${sentence})`, { ...given, spec: unreadable }, rejected] as const,
      [`is told before a taking over (${sentence})`, { ...given, ...found, spec: unreadable }, rejected] as const,
      [`is told before an earlier refusal (${sentence})`, { ...given, ...refusedFor(5_000), spec: unreadable }, rejected] as const,
    ]),
    ['changes nothing', { spec: unreadable }, rejected],
  ]);
  decides([
    [
      'is told by all its fields',
      { spec: { name: 5, addons: 'ai', regionCode: 7 } },
      { ...rejected, message: '(also spec.regionCode, spec.addons): correct it; until then the operator changes nothing' },
    ],
    ['is told by its only field', { spec: unreadable }, { ...rejected, message: '): correct it; until then the operator changes nothing' }],
  ]);
});

const waits = (afterMs: number) => ({ type: 'wait', reason: 'WaitingForCloud', afterMs, message: 'the cloud is full' }) as const;

describe('a create that the cloud refused a moment ago', () => {
  const asNew = (more: ReturnType<typeof refusedFor>) => ({ ...notCreated, ...more, status: { ...notCreated.status, ...more.status } });
  const tooSoon = refusedFor(5_000);
  allDecide([
    ['is not asked for again', asNew(tooSoon), waits(5_000)],
    ['is not asked for again in the place of a lost one', { ...lost, ...tooSoon }, waits(5_000)],
    ['is told with its reason', asNew(refusedFor(5_000, { waiting: 'RateLimited' })), { ...waits(5_000), reason: 'RateLimited' }],
    [
      'is told as what a person has to mend',
      asNew(refusedFor(5_000, { stalled: 'Rejected' })),
      { type: 'stall', reason: 'Rejected', retryAfterMs: 595_000, message: 'the cloud is full' },
    ],
    ['waits twice as long each time', asNew(refusedFor(5_000, { failures: 2 })), waits(15_000)],
    ['is asked for again when it is time', asNew(refusedFor(0)), creating],
    ['is asked for again as soon as the spec changes', asNew(refusedFor(5_000, { generation: 0 })), creating],
    ['waits also where the definitions keep no question', asNew(refusedFor(5_000, { generation: undefined })), waits(5_000)],
    [
      'is asked for again as soon as the key changes, after however many refusals',
      { ...asNew(refusedFor(5_000, { credentialsVersion: '6', failures: 9 })), ...keyOfVersion('7') },
      creating,
    ],
    [
      'is asked for again as soon as the key changes, although only a person could end it',
      { ...asNew(refusedFor(5_000, { credentialsVersion: '6', stalled: 'Rejected' })), ...keyOfVersion('7') },
      creating,
    ],
    [
      'is not asked for again with the same key',
      { ...asNew(refusedFor(5_000, { credentialsVersion: '7' })), ...keyOfVersion('7') },
      waits(5_000),
    ],
    ['is asked for at once when nobody knows of a refusal', { ...notCreated, createFailedAt: noon }, creating],
    ['is asked for at once when nobody knows when it was refused', { ...asNew(tooSoon), createFailedAt: undefined }, creating],
    ['is told before a name that is taken', { ...asNew(tooSoon), ...taken, spec: { name: 'orders' } }, waits(5_000)],
  ]);
  decides([
    ['is of no interest where something exists', tooSoon, { type: 'done', reason: 'Available', message: 'the service is available at' }],
  ]);
});

describe('a create whose unclear answer came to nothing', () => {
  const unclear = (inMs: number, more: object = {}) => refusedFor(inMs, { attempt: '', waiting: 'ResolvingCreate', ...more });
  const after = ({ createFailedAt, status }: ReturnType<typeof refusedFor>, open = opened(judged({ kind: 'none' }))) => ({
    ...open,
    createFailedAt,
    status: { ...notCreated.status, ...status },
  });
  const told = { ...waits(5_000), reason: 'ResolvingCreate' } as const;
  allDecide([
    ['is not sent again before it is time', after(unclear(5_000)), told],
    ['is not sent again in the place of a lost one', { ...lost, ...unclear(5_000) }, told],
    ['waits twice as long each time', after(unclear(5_000, { failures: 5 })), { ...told, afterMs: 155_000 }],
    [
      'is told in the same words while it is looked for',
      after(unclear(-3_600_000), opened({ state: 'looking', attempt: chosenAttempt, again: noon + 5_000 })),
      told,
    ],
    [
      'is told in the same words however long it is looked for, and not in those of an earlier refusal',
      after(refusedFor(5_000), opened({ state: 'looking', attempt: chosenAttempt, again: noon + 5_000 })),
      { ...told, message: 'it is not known yet whether the request for service "orders" reached the cloud' },
    ],
    ['is sent again when it is time', after(unclear(0)), creating],
    ['is sent again as soon as the spec changes', after(unclear(5_000, { generation: 0 })), creating],
  ]);
});
const named = (record: object = creating.action.record, sameNameIds = ['a']) =>
  ({ ...creating, action: creates({ name: { kind: 'given', name: 'orders' }, sameNameIds, record: { ...record } }) }) as const;
const stalled = (message: string) => ({ type: 'stall', reason: 'SameNameExists', retryAfterMs: 60_000, message }) as const;
const says = (createAnyway: string) => ({ annotations: { 'managed-db.io/create-anyway': createAnyway } });

describe('a name that is taken', () => {
  const spec = { name: 'orders' };
  const exists = stalled(
    'service "orders" exists (a): choose another spec.name, or annotate managed-db.io/create-anyway=true or managed-db.io/external-id=a to adopt',
  );
  const two = { sameNames: { state: 'read', ids: ['a', 'b', 'c'], unclaimed: ['a', 'b'] } } as const;
  const ownKey = stalled('or set spec.credentialsRef to adopt');
  allDecide([
    ['may be what is meant: a person decides', { ...notCreated, ...taken, spec }, exists],
    ['may be what is meant in the place of a lost one', { ...lost, ...taken, spec }, exists],
    ["is not offered with the operator's key", { ...notCreated, ...taken, ...operatorsOwn, spec }, ownKey],
    ["is offered with the operator's key where adoption is allowed", { ...notCreated, ...taken, ...operatorsOwn, ...shared, spec }, exists],
    ['is no reason when a person says so', { ...notCreated, ...taken, ...says('true'), spec }, named()],
    ['is no reason when a person says so of it', { ...notCreated, ...taken, ...says('b,a'), spec }, named()],
    ['is one when a person says so of another', { ...notCreated, ...taken, ...says('b'), spec }, exists],
    [
      'is one when a person says so of one of two',
      { ...notCreated, ...two, ...says('a'), spec },
      stalled('service "orders" exists (a, b)'),
    ],
    [
      'is no reason when other objects have those',
      { ...notCreated, spec, sameNames: { state: 'read', ids: ['a'], unclaimed: [] } },
      named(),
    ],
    [
      'may be that of one that is shown without a name',
      { ...notCreated, spec, sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'], unnamed: ['a'] } },
      stalled('service "orders" may be a (without a name): choose another spec.name'),
    ],
    [
      'may be one that cannot be read',
      { ...notCreated, spec, sameNames: { state: 'unknown', error: cloudError() } },
      { type: 'keep', delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 }, message: 'the cloud fails (HTTP 500)' },
    ],
    [
      'may be one that the list lacks, whatever a person says of those that it shows',
      { ...notCreated, ...says('true'), spec, sameNames: { state: 'incomplete', missing: ['b', 'c'] } },
      {
        type: 'wait',
        reason: 'WaitingForCloud',
        afterMs: 5_000,
        message:
          'service "orders" may exist, since the cloud\'s list lacks b, c: look for them there, or recreate this object without spec.name',
      },
    ],
    [
      'is none that was there before an earlier attempt',
      { ...notCreated, ...taken, spec, record: { ...notCreated.record, attempt: { ...chosenAttempt, sameNameIds: ['a', 'z'] } } },
      named(undefined, ['a', 'z']),
    ],
    [
      'is one that was not there before an earlier attempt',
      { ...notCreated, ...taken, spec, record: { ...notCreated.record, attempt: chosenAttempt } },
      exists,
    ],
  ]);
  decides([
    ['is none of a service that exists', { ...taken, spec }, { type: 'done', reason: 'Available', message: 'the service is available at' }],
    [
      'is not looked at when it cannot be read and a service exists',
      { sameNames: { state: 'unknown', error: cloudError() } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
  ]);
});

describe('a create', () => {
  allDecide(
    starts.map(([sentence, given]) => [
      `is asked for when nothing speaks against it (${sentence})`,
      given,
      sentence === 'to be made again' ? remaking : creating,
    ]),
  );
});
