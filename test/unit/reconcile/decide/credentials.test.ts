import { describe, expect, test } from 'vitest';
import { decideService } from '../../../../src/reconcile/kinds/service/kind.ts';
import { allDecide, creates, decides, type Given, type Row } from '../../../support/policy-rows.ts';
import {
  cloudError,
  judged,
  keySecret,
  notCreated,
  opened,
  recordOf,
  serviceSituation,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

const deletion = { requested: true };
const failing = { state: 'unavailable', error: cloudError('server') } as const;

describe('without a proven key', () => {
  const states = [
    [
      'the key was not requested yet',
      { account: { state: 'notAsked' } },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'WaitingForCredentials', afterMs: 15_000 },
        message: 'the credentials were not asked for',
      },
    ],
    [
      'the Secret of the key is missing',
      {
        account: { state: 'missing', problem: 'Secret "cloud-key" not found', remedy: 'create it' },
      },
      {
        type: 'wait',
        reason: 'WaitingForCredentials',
        afterMs: 15_000,
        message: 'Secret "cloud-key" not found: ',
      },
    ],
    [
      'the cloud rejects the key',
      { account: { state: 'rejected', message: 'the cloud rejects the key' } },
      { type: 'stall', reason: 'Unauthorized', message: 'the cloud rejects the key' },
    ],
    [
      'the cloud does not answer about the key',
      { account: failing },
      {
        type: 'keep',
        delayedReport: { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        message: 'the cloud fails (HTTP 500); the operator retries',
      },
    ],
  ] as const satisfies readonly Row[];
  const unread = { state: 'unknown', error: undefined } as const;
  const besides: readonly (readonly [string, Given])[] = [
    ['nothing is created', notCreated],
    ['nothing is changed', { cloud: unread }],
    ['nothing is deleted', { cloud: unread, deletion }],
    ['an open create is not resolved', opened(judged({ kind: 'none' }))],
    [
      'an object with an open create is not released',
      { ...opened(judged({ kind: 'none' })), deletion },
    ],
    [
      'an object with an open create is not released, also with Retain',
      { ...opened(judged({ kind: 'none' })), deletion, spec: { deletionPolicy: 'Retain' } },
    ],
    ['a spec that cannot be read waits', { cloud: unread, spec: { name: 5 } }],
    ['a protected object waits', { cloud: unread, spec: { deletionProtection: true }, deletion }],
    ['nothing is reported as Lost', { cloud: { state: 'absent' } }],
  ];
  allDecide(
    states.flatMap(([why, account, expected]) => [
      ...besides.map(([sentence, given]): Row => [
        `(${why}) ${sentence}`,
        { ...given, ...account },
        expected,
      ]),
      [
        `(${why}) what is to be kept is let go`,
        { ...account, cloud: unread, spec: { deletionPolicy: 'Retain' }, deletion },
        { type: 'release', message: 'the service stays in the cloud' },
      ],
      [
        `(${why}) what was never made is let go`,
        { ...notCreated, ...account, deletion },
        { type: 'release', message: 'no service was created' },
      ],
    ]),
  );
});

describe('a key of a second project', () => {
  const account = usableKey({ project: 'prj-2', secret: keySecret({ held: false }) });
  const foreign = {
    type: 'stall',
    reason: 'ForeignProject',
    message:
      'the service is in project prj-1, the credentials are of project prj-2: use a key of prj-1',
  } as const;
  const dropped = {
    ...foreign,
    message: `${foreign.message}, or set spec.deletionPolicy to Retain to keep the service`,
  };
  const isHeld = {
    ...foreign,
    message: `${foreign.message}; spec.deletionPolicy has no effect before the answer to the create is known`,
  };
  const isLate = {
    ...foreign,
    message: `${foreign.message}; spec.deletionPolicy no longer keeps the service, whose deletion has begun`,
  };
  const pinned = { account, pinnedProject: 'prj-1' };
  allDecide([
    ['is not used', pinned, foreign],
    ['is not used to delete', { ...pinned, deletion }, dropped],
    ['proves no loss', { ...pinned, cloud: { state: 'absent' } }, foreign],
    [
      'proves nothing about an open create',
      { ...opened(judged({ kind: 'none' })), ...pinned },
      foreign,
    ],
    [
      'proves nothing about an open create of a deleted object',
      { ...opened(judged({ kind: 'none' })), ...pinned, deletion },
      isHeld,
    ],
    [
      'is not used for a deletion that had begun',
      { ...pinned, deletion: { requested: true, started: true } },
      isLate,
    ],
    ['is reported before an unreadable spec', { ...pinned, spec: { name: 5 } }, foreign],
    [
      'does not stop the release of an object with Retain',
      { ...pinned, deletion, spec: { deletionPolicy: 'Retain' } },
      { type: 'release', message: 'the service stays' },
    ],
  ]);
});
describe('in a deletion, where the namespace may be terminating,', () => {
  const missing = {
    state: 'missing',
    problem: 'Secret "key" not found',
    remedy: 'kubectl create secret',
  } as const;
  const rejected = {
    state: 'rejected',
    message: 'the cloud does not accept the key of Secret "key"',
  } as const;
  const foreign = usableKey({ project: 'prj-2', secret: keySecret({ name: 'key' }) });
  const named = { spec: { credentialsRef: { name: 'key' } }, pinnedProject: 'prj-1' };
  const last = { record: { credentialsSecret: 'cloud' } };
  const waiting = { type: 'wait', reason: 'WaitingForCredentials', afterMs: 15_000 } as const;
  const orRetain = ', or set spec.deletionPolicy to Retain to keep the service';
  allDecide([
    [
      'a missing Secret may be created while the object is not deleted',
      { ...named, ...last, account: missing },
      { ...waiting, message: `${missing.problem}: kubectl create secret` },
    ],
    [
      'a missing Secret is not to be created if an earlier key worked',
      { ...named, ...last, account: missing, deletion },
      {
        ...waiting,
        message: `${missing.problem}: set spec.credentialsRef.name back to "cloud"${orRetain}`,
      },
    ],
    [
      'a missing Secret that held the only key has a way out',
      { ...named, record: { credentialsSecret: 'key' }, account: missing, deletion },
      {
        ...waiting,
        message: `${missing.problem}: name an existing Secret with a key of prj-1 in spec.credentialsRef${orRetain}`,
      },
    ],
    [
      'a rejected key has the earlier key as a way out',
      { ...named, ...last, account: rejected, deletion },
      {
        type: 'stall',
        reason: 'Unauthorized',
        message: `${rejected.message}, or name Secret "cloud" again${orRetain}`,
      },
    ],
    [
      'a key of a second project has the earlier key as a way out',
      { ...named, ...last, account: foreign, deletion },
      {
        type: 'stall',
        reason: 'ForeignProject',
        message: `use a key of prj-1, such as Secret "cloud"${orRetain}`,
      },
    ],
  ]);
});

const records = (record: object, whose: string) =>
  ({
    type: 'write',
    action: { type: 'writeRecord', record: recordOf('svc-1', record) },
    message: `${whose} is of the resource's project`,
  }) as const;

describe('the ledger names the Secret of the last proven key', () => {
  const ofNext = usableKey({ secret: keySecret({ name: 'next' }) });
  const available = { type: 'done', reason: 'Available' } as const;
  const last = { record: { credentialsSecret: 'cloud' } };
  decides([
    [
      'once another key is proven',
      { ...last, account: ofNext },
      records({ credentialsSecret: 'next' }, 'the key of Secret "next"'),
    ],
    [
      "not for the operator's own key",
      { ...last, account: usableKey({ operatorsOwn: true }) },
      records({}, "the operator's own key"),
    ],
    [
      'a proven key is recorded once',
      { record: { credentialsSecret: 'next' }, account: ofNext },
      { ...available, message: 'available' },
    ],
    [
      'a Secret without its finalizer does not replace the earlier Secret',
      {
        ...last,
        account: usableKey({
          secret: keySecret({ name: 'next', held: false, terminating: true }),
        }),
      },
      { ...available, message: 'available' },
    ],
    [
      'a deletion does not write it',
      { ...last, account: ofNext, deletion },
      {
        type: 'call',
        reason: 'Deleting',
        action: { type: 'delete', id: 'svc-1' },
        message: 'the cloud is deleting the service svc-1',
      },
    ],
    [
      'a create names it before the request',
      { ...notCreated, account: ofNext },
      {
        type: 'call',
        reason: 'Creating',
        action: creates({ record: { projectId: 'prj-1', credentialsSecret: 'next' } }),
        message: 'creating',
      },
    ],
  ]);
});

const of = (secret: Parameters<typeof keySecret>[0]) => usableKey({ secret: keySecret(secret) });

describe('the Secret of a key', () => {
  const held = {
    type: 'write',
    action: { type: 'holdCredentials', secret: 'cloud-key' },
    message: 'Secret "cloud-key" is held while it is needed',
  } as const;
  const gone = {
    type: 'wait',
    reason: 'WaitingForCredentials',
    afterMs: 15_000,
    message: 'Secret "cloud-key" is being deleted',
  } as const;
  const deletes = {
    type: 'call',
    reason: 'Deleting',
    action: { type: 'delete', id: 'svc-1' },
    message: 'the cloud is deleting the service svc-1',
  } as const;
  const available = {
    type: 'done',
    reason: 'Available',
    message: 'the service is available at',
  } as const;
  allDecide([
    ['is held before a create', { ...notCreated, account: of({ held: false }) }, held],
    [
      'is held before an open create is resolved',
      { ...opened(judged({ kind: 'none' })), account: of({ held: false }) },
      held,
    ],
    ['is held for an existing resource', { account: of({ held: false }) }, held],
    [
      'is not held for an object that is being deleted',
      { account: of({ held: false }), deletion },
      deletes,
    ],
    [
      'that is being deleted is not used for a create',
      { ...notCreated, account: of({ terminating: true }) },
      gone,
    ],
    [
      'that is being deleted is used for a DELETE',
      { account: of({ terminating: true }), deletion },
      deletes,
    ],
  ]);
  decides([
    [
      'that is held is used',
      { account: of({}), record: { credentialsSecret: 'cloud-key' } },
      available,
    ],
    [
      'that is being deleted cannot be held any more',
      { account: of({ held: false, terminating: true }) },
      available,
    ],
    [
      "is not held for the operator's own key",
      { account: usableKey({ operatorsOwn: true }) },
      available,
    ],
  ]);
});
const unknown = (error: ReturnType<typeof cloudError> | undefined) =>
  ({ cloud: { state: 'unknown', error } }) as const;
const kept = (delayedReport: object, message: string) =>
  ({ type: 'keep', delayedReport, message }) as const;

describe('a cloud that does not show the resource', () => {
  const rows: readonly Row[] = [
    [
      'for a reason that is not known',
      unknown(undefined),
      kept(
        { type: 'wait', reason: 'WaitingForCloud', afterMs: 5_000 },
        'the service could not be read; the operator retries',
      ),
    ],
    [
      'since it fails',
      unknown(cloudError('server')),
      kept(
        { type: 'wait', reason: 'CloudUnavailable', afterMs: 5_000 },
        'the cloud fails (HTTP 500); the operator retries',
      ),
    ],
    [
      'since it limits the key',
      unknown(cloudError('rateLimited', { retryAfterMs: 20_000 })),
      kept(
        { type: 'wait', reason: 'RateLimited', afterMs: 20_000 },
        'the cloud limits how often this API key may call it; the operator retries',
      ),
    ],
    [
      'since the key may not read it',
      unknown(cloudError('forbidden')),
      kept(
        { type: 'stall', reason: 'Unauthorized', retryAfterMs: 60_000 },
        'the cloud refused to show the service; check the rights of the API key',
      ),
    ],
    [
      'since it rejects the request',
      unknown(cloudError('invalid')),
      kept(
        { type: 'stall', reason: 'Rejected', retryAfterMs: 600_000 },
        "the cloud refused to show the service; ask the cloud's support",
      ),
    ],
  ];
  allDecide(
    rows.flatMap(([sentence, given, expected]): Row[] => [
      [`${sentence}: nothing is concluded`, given, expected],
      [`${sentence}: nothing is deleted or let go`, { ...given, deletion }, expected],
    ]),
  );
});

test('an object as its spec wants says that the Secret of its key is being deleted', () => {
  const account = usableKey({ secret: keySecret({ terminating: true }) });
  const record = { credentialsSecret: 'cloud-key' };
  expect(decideService(serviceSituation({ account, record }))).toMatchObject({
    type: 'done',
    reason: 'Available',
    message:
      'the service is available at db.example.com:5432; Secret "orders-db" has the connection; Secret "cloud-key" with the API key is being deleted: name another Secret in spec.credentialsRef',
  });
});
