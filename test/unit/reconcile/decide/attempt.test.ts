import { describe } from 'vitest';
import type { Verdict } from '../../../../src/reconcile/ledger/attempt.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { allDecide, creates, decides, type Given, type Row } from '../../../support/policy-rows.ts';
import {
  chosenAttempt,
  cloudError,
  judged,
  noon,
  opened,
  recordOf,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

const deletion = { requested: true };
const nothing = judged({ kind: 'none' });
const oneOf = (...ids: readonly string[]): Verdict => ({ kind: 'ambiguous', ids });
const shared = { ...defaultOptions, sharedProjectAdoption: true };
const operatorsOwn = usableKey({ operatorsOwn: true });
const concluded = (id: string, more: object = {}) => ({
  type: 'writeRecord',
  record: { ...recordOf(id, { claimedAt: new Date(noon).toISOString() }), ...more },
});

/** A create in the place of the lost `svc-1`. */
const recreating = {
  id: 'svc-1',
  outcome: 'created',
  claimedAt: '2026-11-20T09:00:00.000Z',
} as const;

describe('an open create, whose reply is unknown,', () => {
  const states = [
    [
      'is looked for in the cloud',
      opened({ state: 'looking', attempt: chosenAttempt, again: noon + 30_000 }),
      {
        type: 'wait',
        reason: 'ResolvingCreate',
        afterMs: 30_000,
        message:
          'it is not known yet whether the request for service "orders" reached the cloud: looking for it there; nothing is created twice',
      },
    ],
    [
      'is looked for in a second if its look is overdue',
      opened({ state: 'looking', attempt: chosenAttempt, again: noon - 30_000 }),
      {
        type: 'wait',
        reason: 'ResolvingCreate',
        afterMs: 1_000,
        message: 'looking for it there; nothing is created twice',
      },
    ],
    [
      'keeps the status if the cloud cannot be read',
      opened({ state: 'unknown', attempt: chosenAttempt, error: cloudError('server') }),
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        message: 'the cloud fails (HTTP 500)',
      },
    ],
    [
      'is recorded if the cloud shows its service',
      opened(judged({ kind: 'one', id: 'svc-2' })),
      {
        type: 'write',
        action: concluded('svc-2'),
        message: 'the service "orders" had been created as svc-2',
      },
    ],
    [
      'stalls if several services may come from the create',
      opened(judged(oneOf('a', 'b'))),
      {
        type: 'stall',
        reason: 'AmbiguousCreate',
        message: 'a, b may come from the unanswered create',
        retryAfterMs: 60_000,
      },
    ],
  ] as const satisfies readonly Row[];
  const besides: readonly (readonly [string, Given])[] = [
    ['', {}],
    [', also while deleting', { deletion }],
    [
      ', also when a deleted object has deletionPolicy Retain',
      { deletion, spec: { deletionPolicy: 'Retain' } },
    ],
    [
      ', also when the spec protects the service from deletion',
      { deletion, spec: { deletionProtection: true } },
    ],
    [
      ', also while the CRD is being deleted',
      { deletion: { requested: true, crdTerminating: true } },
    ],
    [', also when the spec cannot be read', { spec: { name: 5 } }],
    [', also when the object only observes', { spec: { managementPolicy: 'Observe' } }],
    [
      ', also when the object only observes and is being deleted',
      { spec: { managementPolicy: 'Observe' }, deletion },
    ],
    [
      ', also when the cloud refused a create before',
      {
        createFailedAt: noon,
        status: {
          refusal: { attempt: 'x', failures: 1, at: '2026-11-21T11:59:59.000Z', message: 'no' },
        },
      },
    ],
    [
      ', also when the name is taken',
      { spec: { name: 'orders' }, sameNames: { state: 'read', ids: ['c'], unclaimed: ['c'] } },
    ],
    [
      ', also when external-id names a different service',
      { annotations: { 'managed-db.io/external-id': 'c' }, adoption: { state: 'found', id: 'c' } },
    ],
  ];
  allDecide(
    states.flatMap(([sentence, given, expected]) =>
      besides.map(([more, also]): Row => [
        `${sentence} before any other rule${more}`,
        { ...given, ...also },
        expected,
      ]),
    ),
  );
});

describe('an open create that created a service', () => {
  const one = judged(
    { kind: 'one', id: 'svc-2' },
    { ...chosenAttempt, request: { name: 'orders', operation: 'createService' } },
  );
  decides([
    [
      'records the service, even if an earlier create was refused and the next create is due',
      {
        ...opened(one),
        createFailedAt: noon,
        status: { refusal: { failures: 9, at: '2026-11-21T12:00:00.000Z', message: 'no' } },
      },
      { type: 'write', action: concluded('svc-2'), message: 'had been created as svc-2' },
    ],
    [
      'records the service in place of the lost service',
      opened(judged({ kind: 'one', id: 'svc-2' }), recreating),
      { type: 'write', action: concluded('svc-2'), message: 'had been created as svc-2' },
    ],
    [
      'records the service as an own creation in place of the lost service of an earlier object',
      opened(judged({ kind: 'one', id: 'svc-2' }), { ...recreating, isRestored: true }),
      { type: 'write', action: concluded('svc-2'), message: 'had been created as svc-2' },
    ],
  ]);
});
const noneOf = (ids: string) => ({ annotations: { 'managed-db.io/create-anyway': ids } });

describe('an open create that created nothing,', () => {
  const begins = {
    type: 'call',
    reason: 'Creating',
    action: creates(),
    message: 'creating the service',
  } as const;
  const lets = { type: 'release', message: 'no service was created' } as const;
  const keepsLost = {
    type: 'write',
    action: { type: 'writeRecord', record: recordOf('svc-1', recreating) },
    message: 'no service took the place of svc-1',
  } as const;
  const two = opened(judged(oneOf('a', 'b')));
  const ways: readonly (readonly [string, Given, (record?: object) => Given])[] = [
    ['as the lists prove', {}, (record = {}) => opened(nothing, record)],
    [
      'as create-anyway says',
      noneOf('a,b'),
      (record = {}) => opened(judged(oneOf('a', 'b')), record),
    ],
  ];
  allDecide(
    ways.flatMap(([sentence, said, open]): Row[] => [
      [`${sentence}, is followed by a second create`, { ...open(), ...said }, begins],
      [`${sentence}, releases a deleted object`, { ...open(), ...said, deletion }, lets],
      [
        `${sentence}, releases a deleted object, also with deletionPolicy Retain`,
        { ...open(), ...said, deletion, spec: { deletionPolicy: 'Retain' } },
        lets,
      ],
      [
        `${sentence}, keeps the record of the lost service`,
        { ...open(recreating), ...said },
        keepsLost,
      ],
      [
        `${sentence}, keeps the record of the lost service, also while the object is being deleted`,
        { ...open(recreating), ...said, deletion },
        keepsLost,
      ],
    ]),
  );
  const stalled = {
    type: 'stall',
    reason: 'AmbiguousCreate',
    retryAfterMs: 60_000,
    message: 'or managed-db.io/create-anyway=a,b for another',
  } as const;
  const leavesAll = {
    ...stalled,
    message: 'or managed-db.io/create-anyway=a,b to leave all',
  } as const;
  allDecide([
    [
      'is not concluded from create-anyway with only one of two candidates',
      { ...two, ...noneOf('a') },
      stalled,
    ],
    [
      'is not concluded from create-anyway with more ids than the candidates',
      { ...two, ...noneOf('a,b,c') },
      stalled,
    ],
    [
      'is not concluded from create-anyway with the value "true"',
      { ...two, ...noneOf('true') },
      stalled,
    ],
    [
      'is not concluded from create-anyway with only one of two candidates, while the object is being deleted',
      { ...two, ...noneOf('a'), deletion },
      leavesAll,
    ],
  ]);
});
const takes = (id: string) =>
  ({
    type: 'write',
    action: concluded(id, { outcome: 'adopted' }),
    message: `the service ${id} was chosen`,
  }) as const;
const says = (externalId: string) => ({ annotations: { 'managed-db.io/external-id': externalId } });
const asks = (message: string) =>
  ({ type: 'stall', reason: 'AmbiguousCreate', message, retryAfterMs: 60_000 }) as const;

const refuses = (leave: string) =>
  ({
    type: 'stall',
    reason: 'NotAllowed',
    message: `the operator's own key cannot adopt managed-db.io/external-id a: set spec.credentialsRef to your own key, or annotate managed-db.io/create-anyway=a,b ${leave}`,
  }) as const;

describe('a user who must choose between candidates of an open create', () => {
  const two = opened(judged(oneOf('a', 'b')));
  const notOwn = { account: operatorsOwn };
  decides([
    [
      'is told both annotations',
      two,
      asks(
        'a, b may come from the unanswered create or another creator: annotate managed-db.io/external-id=<id> to adopt, or managed-db.io/create-anyway=a,b for another',
      ),
    ],
    [
      'is told the id of a single candidate',
      opened(judged(oneOf('a'))),
      asks(
        'a may come from the unanswered create or another creator: annotate managed-db.io/external-id=a to adopt, or managed-db.io/create-anyway=a for another',
      ),
    ],
    [
      'is told both annotations while the object is being deleted',
      { ...two, deletion },
      asks(
        'annotate managed-db.io/external-id=<id> to delete, or managed-db.io/create-anyway=a,b to leave all',
      ),
    ],
    [
      "is not told to adopt with the operator's own key",
      { ...two, ...notOwn },
      asks(
        'set spec.credentialsRef to adopt, or annotate managed-db.io/create-anyway=a,b for another',
      ),
    ],
    ['may adopt a candidate', { ...two, ...says('a') }, takes('a')],
    ['may adopt a candidate to delete the service', { ...two, ...says('b'), deletion }, takes('b')],
    [
      'may not adopt a service that is not a candidate',
      { ...two, ...says('c') },
      asks('a, b may come from'),
    ],
    [
      "may not adopt a candidate with the operator's own key",
      { ...two, ...notOwn, ...says('a') },
      refuses('for another'),
    ],
    [
      "may not adopt a candidate with the operator's own key while the object is being deleted",
      { ...two, ...notOwn, ...says('a'), deletion },
      refuses('to leave all'),
    ],
    [
      "may adopt a candidate with the operator's own key if the operator allows adoption",
      { ...two, ...notOwn, ...says('a'), options: shared },
      takes('a'),
    ],
  ]);
});

describe('a create that the cloud refused', () => {
  allDecide([
    [
      'is followed by a second create',
      { ...opened(nothing), attempt: undefined },
      { type: 'call', reason: 'Creating', action: creates(), message: 'creating the service' },
    ],
    [
      'leaves no service to delete',
      { ...opened(nothing), attempt: undefined, deletion },
      { type: 'release', message: 'no service was created' },
    ],
  ]);
});
