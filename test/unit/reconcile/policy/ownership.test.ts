import { describe } from 'vitest';
import { allDecide, creates, decides, type Given, type Row } from '../../../support/policy-rows.ts';
import { firstOf, judged, notCreated, opened, recordOf } from '../../../support/situation.ts';

const deletion = { requested: true };
const conflict = { identity: { state: 'conflict', message: 'record and status disagree' } } as const;
const another = { claim: { state: 'another', owner: firstOf('shop') } } as const;
const undecided = { claim: { state: 'undecided', rival: firstOf('bank') } } as const;
const elsewhere = { claim: { state: 'elsewhere', where: 'another cluster (c)' } } as const;
const noKey = { account: { state: 'missing', message: 'no key' } } as const;
const openCreate = opened(judged({ kind: 'none' }));
const rejected = (path: string) => ({ type: 'stall', reason: 'Rejected', message: `${path} cannot be read` }) as const;

describe('a field that decides what may be done at all, and cannot be read', () => {
  const unreadable: readonly (readonly [path: string, spec: object])[] = [
    ['spec.suspend', { suspend: 'no' }],
    ['spec.deletionPolicy', { deletionPolicy: 'Keep' }],
    ['spec.deletionProtection', { deletionProtection: 'yes' }],
    ['spec.managementPolicy', { managementPolicy: 'Look' }],
    ['spec.credentialsRef', { credentialsRef: 5 }],
  ];
  allDecide([
    ...unreadable.flatMap(([path, spec]): Row[] => [
      [`${path}: nothing is called`, { spec }, rejected(path)],
      [`${path}: nor is anything deleted`, { spec, deletion }, { ...rejected(path), message: 'nor is anything deleted' }],
      [`${path}: nor is anything created`, { ...notCreated, spec }, rejected(path)],
    ]),
    ['goes before spec.suspend', { spec: { suspend: true, deletionPolicy: 'Keep' } }, rejected('spec.deletionPolicy')],
    [
      'goes before the claim of another object',
      { spec: { deletionPolicy: 'Keep' }, ...another, deletion },
      rejected('spec.deletionPolicy'),
    ],
    ['goes before a conflict', { spec: { deletionPolicy: 'Keep' }, ...conflict }, rejected('spec.deletionPolicy')],
  ]);
});

describe('spec.suspend', () => {
  const spec = { suspend: true };
  const suspended = { type: 'suspended', isGone: false, message: 'spec.suspend is true: the operator changes nothing' } as const;
  const blocked = {
    type: 'wait',
    reason: 'DeletionBlocked',
    message: 'deletion waits because spec.suspend is true: set it to false',
  } as const;
  decides([['false is as usual', { spec: { suspend: false } }, { type: 'done', reason: 'Available' }]]);
  allDecide([
    ['nothing is changed', { spec }, suspended],
    ['nothing is created', { ...notCreated, spec }, suspended],
    ['nothing is deleted', { spec, deletion }, blocked],
    ['nothing is deleted, also when the deletion has begun', { spec, deletion: { requested: true, started: true } }, blocked],
    ['nothing is let go, also when the resource is to be kept', { spec: { ...spec, deletionPolicy: 'Retain' }, deletion }, blocked],
    [
      'what is gone is told',
      { spec, cloud: { state: 'absent' } },
      { type: 'suspended', isGone: true, message: 'the service is gone from the cloud; spec.suspend is true' },
    ],
    ['goes before the claim of another object', { spec, ...another }, suspended],
    ['goes before the claim of another object, while deleting', { spec, ...another, deletion }, blocked],
    ['goes before a conflict', { spec, ...conflict }, suspended],
    ['goes before a record that was lost', { spec, isRecordLost: true }, suspended],
    ['goes before an open create', { ...openCreate, spec }, suspended],
    ['goes before missing credentials', { spec, ...noKey }, suspended],
    ['goes before a spec that cannot be read otherwise', { spec: { ...spec, name: 5 } }, suspended],
  ]);
});

describe('a resource that is not ours', () => {
  const stays = { type: 'release', message: 'the service belongs to somebody else and stays' } as const;
  const claims = [
    [
      'another object has it',
      another,
      {
        type: 'stall',
        reason: 'OwnedByAnother',
        retryAfterMs: 60_000,
        message: 'service svc-1 belongs to ManagedService shop/first: delete this object, which deletes nothing in the cloud, or that one',
      },
    ],
    [
      'an object of another namespace has it',
      { claim: { state: 'another', owner: firstOf('bank') } },
      {
        type: 'stall',
        reason: 'OwnedByAnother',
        retryAfterMs: 60_000,
        message:
          'service svc-1 belongs to a ManagedService of another namespace: delete this object, which deletes nothing in the cloud, or ask',
      },
    ],
    [
      'it is one of two copies',
      undecided,
      { type: 'stall', reason: 'OwnedByAnother', retryAfterMs: 60_000, message: 'managed-db.io/take-over="svc-1 uid"' },
    ],
    [
      'an object of another cluster has it',
      elsewhere,
      {
        type: 'stall',
        reason: 'OwnedElsewhere',
        message: 'belongs to an object in another cluster (c); once that one no longer manages it: kubectl',
      },
    ],
  ] as const satisfies readonly Row[];
  const besides: readonly (readonly [string, Given])[] = [
    ['', {}],
    [', and a create is open', openCreate],
    [', and the key is missing', noKey],
    [', and it is protected', { spec: { deletionProtection: true } }],
    [', and a DELETE was begun', { deletion: { started: true } }],
    [', and the CRD is being deleted', { deletion: { crdTerminating: true } }],
    [', and it is lost', { cloud: { state: 'absent' } }],
    [', and it cannot be read', { cloud: { state: 'unknown', error: undefined } }],
    [', and the record was lost', { isRecordLost: true }],
    [', and the finalizer was lost', { hasFinalizer: false }],
    [', and the records disagree', conflict],
    [', and the spec cannot be read', { spec: { name: 5 } }],
  ];
  allDecide(
    claims.flatMap(([sentence, claim, stalled]) =>
      besides.flatMap(([more, given]): Row[] => [
        [
          `${sentence}${more}: it is only looked at`,
          { ...given, ...claim },
          'attempt' in given || 'identity' in given ? { ...stalled, message: '' } : stalled,
        ],
        [
          `${sentence}${more}: the object goes without a trace`,
          { ...given, ...claim, deletion: { ...given.deletion, requested: true } },
          stays,
        ],
      ]),
    ),
  );
});
const writes = (message: string) => ({ type: 'write', action: { type: 'writeRecord', record: recordOf('svc-1') }, message }) as const;

describe('a record', () => {
  const disagree = { type: 'stall', reason: 'RecordConflict', message: 'record and status disagree' } as const;
  allDecide([
    ['that contradicts status is left, and nothing is done', conflict, disagree],
    ['that contradicts status keeps the object', { ...conflict, deletion }, disagree],
    [
      'that contradicts status keeps the object, also when the resource is to be kept',
      { ...conflict, spec: { deletionPolicy: 'Retain' }, deletion },
      disagree,
    ],
    ['that contradicts status is not written back', { ...conflict, isRecordLost: true }, disagree],
    ['that was taken away is written back', { isRecordLost: true }, writes('the record was taken away')],
    ['that was taken away is written back before a deletion', { isRecordLost: true, deletion }, writes('the record was taken away')],
    ['that was taken away is written back without a key', { isRecordLost: true, ...noKey }, writes('the record was taken away')],
    ['whose finalizer was lost is written with it', { hasFinalizer: false }, writes('the finalizer was lost')],
    [
      'whose finalizer was lost is written with it before a key is asked for',
      { hasFinalizer: false, ...noKey },
      writes('the finalizer was lost'),
    ],
    [
      'whose finalizer was lost is not written while deleting',
      { hasFinalizer: false, deletion: { requested: true } },
      { type: 'call', reason: 'Deleting', action: { type: 'delete', id: 'svc-1' } },
    ],
    [
      'of a restored object is made its own',
      { claim: { state: 'restored' }, record: { clusterUid: 'before', objectUid: 'before' } },
      writes('the object was restored: its record is renewed'),
    ],
    [
      'of a restored object is made its own before a deletion',
      { claim: { state: 'restored' }, record: { objectUid: 'before' }, deletion },
      writes('the object was restored: its record is renewed'),
    ],
    [
      'of a restored object with a lost finalizer is made its own first',
      { claim: { state: 'restored' }, hasFinalizer: false },
      writes('the object was restored'),
    ],
  ]);
  decides([
    [
      'that is none needs no finalizer before the create',
      { ...notCreated, hasFinalizer: false },
      {
        type: 'call',
        reason: 'Creating',
        action: creates(),
        message: 'creating the service',
      },
    ],
  ]);
});
