import { describe } from 'vitest';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, creates, decides, type Given } from '../../../support/policy-rows.ts';
import {
  chosenAttempt,
  cloudError,
  listFacts,
  judged,
  noon,
  notCreated,
  opened,
  recordOf,
  type GivenService,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

const operatorsOwn = { account: usableKey({ operatorsOwn: true }) };
const shared = { options: { ...defaultOptions, sharedProjectAdoption: true } };
const absent = { cloud: { state: 'absent' } } as const;
const lost = { ...absent, annotations: { 'managed-db.io/allow-recreate': 'svc-1' } } as const;

/** No resource exists: it was not created yet, or a user authorized the recreation of a lost resource. */
const starts: readonly (readonly [sentence: string, given: Given])[] = [
  ['not created yet', notCreated],
  ['to be made again', lost],
];
const creating = {
  type: 'call',
  reason: 'Creating',
  message: 'creating the service',
  action: creates(),
} as const;
const remaking = { ...creating, action: creates({ record: recordOf('svc-1') }) } as const;
const rejected = {
  type: 'stall',
  reason: 'Rejected',
  message: 'spec.name cannot be read: it is 5 (',
} as const;
const unreadable = { name: 5 };
const taken = { sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] } } as const;
const found = { adoption: { state: 'found', id: 'svc-2', projectId: 'prj-1' } } as const;
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

describe('a spec that cannot be read', () => {
  allDecide([
    ...starts.flatMap(([sentence, given]) => [
      [`stops the create (${sentence})`, { ...given, spec: unreadable }, rejected] as const,
      [
        `is reported before an adoption (${sentence})`,
        { ...given, ...found, spec: unreadable },
        rejected,
      ] as const,
      [
        `is reported before an earlier refusal (${sentence})`,
        { ...given, ...refusedFor(5_000), spec: unreadable },
        rejected,
      ] as const,
    ]),
    ['stops all changes', { spec: unreadable }, rejected],
  ]);
  decides([
    [
      'is reported with all unreadable fields',
      { spec: { name: 5, addons: 'ai', regionCode: 7 } },
      {
        ...rejected,
        message:
          '(also spec.regionCode, spec.addons): correct it; until then the operator changes nothing',
      },
    ],
    [
      'is reported with a single unreadable field',
      { spec: unreadable },
      { ...rejected, message: '): correct it; until then the operator changes nothing' },
    ],
  ]);
});

const waits = (afterMs: number) =>
  ({ type: 'wait', reason: 'WaitingForCloud', afterMs, message: 'the cloud is full' }) as const;

describe('a create that the cloud refused a moment ago', () => {
  const asNew = (more: ReturnType<typeof refusedFor>) => ({
    ...notCreated,
    ...more,
    status: { ...notCreated.status, ...more.status },
  });
  const tooSoon = refusedFor(5_000);
  allDecide([
    ['is not requested again', asNew(tooSoon), waits(5_000)],
    ['is not requested again in place of a lost resource', { ...lost, ...tooSoon }, waits(5_000)],
    [
      'is reported with its reason',
      asNew(refusedFor(5_000, { waiting: 'RateLimited' })),
      { ...waits(5_000), reason: 'RateLimited' },
    ],
    [
      'is reported as a stall if only a person can help',
      asNew(refusedFor(5_000, { stalled: 'Rejected' })),
      { type: 'stall', reason: 'Rejected', retryAfterMs: 595_000, message: 'the cloud is full' },
    ],
    ['waits twice as long each time', asNew(refusedFor(5_000, { failures: 2 })), waits(15_000)],
    ['is requested again at its retry time', asNew(refusedFor(0)), creating],
    [
      'is requested again as soon as the spec changes',
      asNew(refusedFor(5_000, { generation: 0 })),
      creating,
    ],
    [
      'waits also if the status has no generation of the refusal',
      asNew(refusedFor(5_000, { generation: undefined })),
      waits(5_000),
    ],
    [
      'is requested at once if the status has no refusal',
      { ...notCreated, createFailedAt: noon },
      creating,
    ],
    [
      'is requested at once if the time of the refusal is unknown',
      { ...asNew(tooSoon), createFailedAt: undefined },
      creating,
    ],
    [
      'is reported before a name that is taken',
      { ...asNew(tooSoon), ...taken, spec: { name: 'orders' } },
      waits(5_000),
    ],
  ]);
  decides([
    [
      'is ignored if the resource exists',
      tooSoon,
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
  ]);
});

const unreached = (inMs: number, begunAt: number | undefined): GivenService => ({
  ...notCreated,
  createFailedAt: noon - 10_000 + inMs,
  list: listFacts({ begunAt }),
  status: {
    ...notCreated.status,
    ...refusedFor(inMs, { failures: 6, waiting: 'CloudUnavailable' }).status,
  },
});

describe('a create that did not reach the cloud', () => {
  const told = { ...waits(5_000), reason: 'CloudUnavailable' } as const;
  decides([
    ['waits after many failures while no list shows the cloud', unreached(0, undefined), told],
    ['waits while the latest list is from before the failure', unreached(0, noon - 10_000), told],
    ['is requested again once a list has reached the cloud', unreached(0, noon - 9_999), creating],
    [
      'waits ten seconds also if a list reaches the cloud',
      unreached(4_000, noon),
      { ...told, afterMs: 4_000 },
    ],
  ]);
});

describe('a create whose unclear answer came to nothing', () => {
  const unclear = (inMs: number, more: object = {}) =>
    refusedFor(inMs, { attempt: '', waiting: 'ResolvingCreate', ...more });
  const after = (
    { createFailedAt, status }: ReturnType<typeof refusedFor>,
    open = opened(judged({ kind: 'none' })),
  ) => ({
    ...open,
    createFailedAt,
    status: { ...notCreated.status, ...status },
  });
  const told = { ...waits(5_000), reason: 'ResolvingCreate' } as const;
  allDecide([
    ['is not sent again before its retry time', after(unclear(5_000)), told],
    ['is not sent again in place of a lost resource', { ...lost, ...unclear(5_000) }, told],
    [
      'waits twice as long each time',
      after(unclear(5_000, { failures: 5 })),
      { ...told, afterMs: 155_000 },
    ],
    [
      'has an unchanged message while it is looked for',
      after(
        unclear(-3_600_000),
        opened({ state: 'looking', attempt: chosenAttempt, again: noon + 5_000 }),
      ),
      told,
    ],
    [
      'has an unchanged message for any duration of the search, and not the message of an earlier refusal',
      after(
        refusedFor(5_000),
        opened({ state: 'looking', attempt: chosenAttempt, again: noon + 5_000 }),
      ),
      {
        ...told,
        message: 'it is not known yet whether the request for service "orders" reached the cloud',
      },
    ],
    ['is sent again at its retry time', after(unclear(0)), creating],
    [
      'is sent again as soon as the spec changes',
      after(unclear(5_000, { generation: 0 })),
      creating,
    ],
  ]);
});
const named = (record: object = creating.action.record, sameNameIds = ['a']) =>
  ({
    ...creating,
    action: creates({
      name: { kind: 'given', name: 'orders' },
      sameNameIds,
      record: { ...record },
    }),
  }) as const;
const stalled = (message: string) =>
  ({ type: 'stall', reason: 'SameNameExists', retryAfterMs: 60_000, message }) as const;
const says = (createAnyway: string) => ({
  annotations: { 'managed-db.io/create-anyway': createAnyway },
});

describe('a name that is taken', () => {
  const spec = { name: 'orders' };
  const exists = stalled(
    'service "orders" exists (a): choose another spec.name, or annotate managed-db.io/create-anyway=true or managed-db.io/external-id=a to adopt',
  );
  const two = {
    sameNames: { state: 'read', ids: ['a', 'b', 'c'], unclaimed: ['a', 'b'] },
  } as const;
  const ownKey = stalled('or set spec.credentialsRef to adopt');
  allDecide([
    ['stalls until the user decides', { ...notCreated, ...taken, spec }, exists],
    [
      'stalls until the user decides, also in place of a lost resource',
      { ...lost, ...taken, spec },
      exists,
    ],
    [
      "is not offered with the operator's key",
      { ...notCreated, ...taken, ...operatorsOwn, spec },
      ownKey,
    ],
    [
      "is offered with the operator's key where adoption is allowed",
      { ...notCreated, ...taken, ...operatorsOwn, ...shared, spec },
      exists,
    ],
    [
      'does not stop the create with create-anyway=true',
      { ...notCreated, ...taken, ...says('true'), spec },
      named(),
    ],
    [
      'does not stop the create with create-anyway and its ids',
      { ...notCreated, ...taken, ...says('b,a'), spec },
      named(),
    ],
    [
      'stops the create if create-anyway has a different id',
      { ...notCreated, ...taken, ...says('b'), spec },
      exists,
    ],
    [
      'stops the create if create-anyway has only one of two ids',
      { ...notCreated, ...two, ...says('a'), spec },
      stalled('service "orders" exists (a, b)'),
    ],
    [
      'does not stop the create if its resources belong to other objects',
      { ...notCreated, spec, sameNames: { state: 'read', ids: ['a'], unclaimed: [] } },
      named(),
    ],
    [
      'stops the create if the names cannot be read',
      { ...notCreated, spec, sameNames: { state: 'unknown', error: cloudError() } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        message: 'the cloud fails (HTTP 500)',
      },
    ],
    [
      'stops the create while the list is incomplete, also with create-anyway for the listed ids',
      {
        ...notCreated,
        ...says('true'),
        spec,
        sameNames: { state: 'unknown', error: undefined, missing: ['svc-9'] },
      },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        message:
          'the whole list of services, which lacks svc-9, could not be read; the operator retries',
      },
    ],
    [
      'does not stop the create if its resource existed before an earlier attempt',
      {
        ...notCreated,
        ...taken,
        spec,
        record: { ...notCreated.record, attempt: { ...chosenAttempt, sameNameIds: ['a', 'z'] } },
      },
      named(undefined, ['a', 'z']),
    ],
    [
      'stops the create if its resource did not exist before an earlier attempt',
      { ...notCreated, ...taken, spec, record: { ...notCreated.record, attempt: chosenAttempt } },
      exists,
    ],
  ]);
  decides([
    [
      'is ignored if the service exists',
      { ...taken, spec },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
    [
      'is ignored if the names cannot be read and the service exists',
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
