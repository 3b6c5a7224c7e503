import { describe } from 'vitest';
import { allDecide, creates, decides, type Given, type Row } from '../../../support/policy-rows.ts';
import { firstOf, judged, keySecret, notCreated, opened, ownAttempt, recordOf } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';

const deletion = { requested: true };
const conflict = { identity: { state: 'conflict', message: 'record and status disagree' } } as const;
const another = { claim: { state: 'another', owner: firstOf('shop') } } as const;
const undecided = { claim: { state: 'undecided', rival: firstOf('bank') } } as const;
const elsewhere = { claim: { state: 'elsewhere', where: 'another cluster (c)' } } as const;
const noKey = { account: { state: 'missing', message: 'no key' } } as const;
const openCreate = opened(judged({ kind: 'none' }));
const rejected = (path: string) => ({ type: 'stall', reason: 'Rejected', message: `${path} cannot be read` }) as const;

const writes = (message: string) => ({ type: 'write', action: { type: 'writeRecord', record: recordOf('svc-1') }, message }) as const;
const disagree = { type: 'stall', reason: 'RecordConflict', message: 'record and status disagree' } as const;

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

const blocked = (message: string) =>
  ({
    type: 'wait',
    reason: 'DeletionBlocked',
    message: `deletion waits because spec.suspend is true: set it to false ${message}`,
  }) as const;

describe('spec.suspend', () => {
  const spec = { suspend: true };
  const suspended = { type: 'suspended', isGone: false, message: 'spec.suspend is true: the operator changes nothing' } as const;
  const keepable = blocked('to go on; to keep the service in the cloud, set spec.deletionPolicy to Retain before');
  const kept = blocked('to drop this object; the service stays in the cloud');
  const tooLate = blocked('to go on; the deletion of the service had begun before, so spec.deletionPolicy no longer keeps it');
  const started = { requested: true, started: true };
  const retain = { ...spec, deletionPolicy: 'Retain' };
  decides([['false is as usual', { spec: { suspend: false } }, { type: 'done', reason: 'Available' }]]);
  allDecide([
    ['nothing is changed', { spec }, suspended],
    ['nothing is created', { ...notCreated, spec }, suspended],
    [
      'what is gone is told',
      { spec, cloud: { state: 'absent' } },
      { type: 'suspended', isGone: true, message: 'the service is gone from the cloud; spec.suspend is true' },
    ],
    ['goes before an open create', { ...openCreate, spec }, suspended],
    ['goes before what came of a create', { ...opened(judged({ kind: 'one', id: 'svc-2' })), spec }, suspended],
    ['goes before missing credentials', { spec, ...noKey }, suspended],
    [
      'goes before a credentials Secret that is not held',
      { spec, account: usableAccount({ secret: keySecret({ held: false }) }) },
      suspended,
    ],
    ['goes before a spec that cannot be read otherwise', { spec: { ...spec, name: 5 } }, suspended],
    ['nothing is deleted', { spec, deletion }, keepable],
    ['nothing is deleted without a key', { spec, deletion, ...noKey }, keepable],
    ['a deletion that has begun waits, and can no longer be kept from its end', { spec, deletion: started }, tooLate],
    ['a deletion that has begun is not stopped by Retain', { spec: retain, deletion: started }, tooLate],
    ['nothing is let go, also when the resource is to be kept', { spec: retain, deletion }, kept],
    ['nothing is let go, also when the resource is only observed', { spec: { ...spec, managementPolicy: 'Observe' }, deletion }, kept],
    [
      'nothing is let go, also when nothing was created',
      { ...notCreated, spec, deletion },
      blocked('to drop this object; no service was created'),
    ],
    ['nothing is let go while it is not known whether something was created', { ...openCreate, spec, deletion }, keepable],
    [
      'nothing is let go, also when the resource is gone',
      { spec, cloud: { state: 'absent' }, deletion: started },
      blocked('to drop this object; the service is gone from the cloud'),
    ],
  ]);
});

describe('a suspended object whose own data was taken away', () => {
  const spec = { suspend: true };
  const lost = { spec, isRecordLost: true };
  const resolved = [{ kind: 'none' }, { kind: 'one', id: 'svc-2' }] as const;
  allDecide([
    ['has its finalizer written back', { spec, hasFinalizer: false }, writes('the finalizer was lost and is written back')],
    ['has its record written back', lost, writes('the record was taken away and is written back')],
    ['has its record written back before a deletion', { ...lost, deletion }, writes('the record was taken away and is written back')],
    ['has its record written back without a key', { ...lost, ...noKey }, writes('the record was taken away and is written back')],
    [
      'has its record renewed after a restore',
      { spec, claim: { state: 'restored' }, record: { objectUid: 'before' } },
      writes('the object was restored'),
    ],
    ...resolved.map((verdict): Row => [
      `has its record written back though it is known what came of its create (${verdict.kind})`,
      { ...opened(judged(verdict)), ...lost },
      { type: 'write', action: { type: 'writeRecord', record: opened(judged(verdict)).record }, message: 'the record was taken away' },
    ]),
    ['says that its records disagree, and nothing is written', { spec, ...conflict, hasFinalizer: false }, disagree],
    [
      'says that the resource belongs to another object, whose finalizer it does not get',
      { spec, ...another, hasFinalizer: false },
      { type: 'stall', reason: 'OwnedByAnother', retryAfterMs: 60_000, message: 'service svc-1 belongs to ManagedService shop/first' },
    ],
    [
      'goes without a trace if the resource belongs to another object',
      { spec, ...another, deletion },
      { type: 'release', message: 'the service belongs to somebody else and stays' },
    ],
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

describe('an object whose own data name two things', () => {
  const beside = {
    identity: { state: 'none' },
    idBeside: { id: 'svc-1' },
    record: { id: undefined, attempt: ownAttempt },
  } as const;
  const status = `if svc-1 is right (needs the verb record): kubectl annotate`;
  allDecide(
    [another, undecided].flatMap((claim): Row[] => [
      [`says so, whoever has one of them (${claim.claim.state})`, { ...conflict, ...claim }, disagree],
      [`is not let go, whoever has one of them (${claim.claim.state})`, { ...conflict, ...claim, deletion }, disagree],
      [
        `says so where one is a create that it did not begin (${claim.claim.state})`,
        { ...beside, ...claim },
        { type: 'stall', reason: 'RecordConflict', message: status },
      ],
      [
        `is not let go where one is a create that it did not begin (${claim.claim.state})`,
        { ...beside, ...claim, deletion },
        { type: 'stall', reason: 'RecordConflict', message: status },
      ],
    ]),
  );
  // What the advice would write back has the uid of this cluster, and a later deletion would be one of the other cluster's resource.
  const onlyLooks = { type: 'stall', reason: 'OwnedElsewhere', message: 'belongs to an object in another cluster (c)' } as const;
  allDecide(
    [conflict, beside].flatMap((given): Row[] => [
      [`only looks in another cluster, where it is not mended (${given.identity.state})`, { ...given, ...elsewhere }, onlyLooks],
      [
        `goes without a trace in another cluster (${given.identity.state})`,
        { ...given, ...elsewhere, deletion },
        { type: 'release', message: 'the service belongs to somebody else and stays' },
      ],
    ]),
  );
  allDecide([
    ['says so once it was taken over', { ...conflict, claim: { state: 'restored' } }, disagree],
    ['says so before a deletion once it was taken over', { ...conflict, claim: { state: 'restored' }, deletion }, disagree],
    [
      'says who claims the other one, too, and nothing of other namespaces',
      { ...conflict, ...undecided },
      {
        ...disagree,
        message: 'service svc-1 is claimed by a ManagedService of another namespace with the same record; record and status disagree',
      },
    ],
    [
      'says who has the other one',
      { ...conflict, ...another },
      { ...disagree, message: 'service svc-1 belongs to ManagedService shop/first; record and status disagree' },
    ],
  ]);
});

describe('a record', () => {
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
      'of a copied or restored object that is deleted before it became the owner abandons the resource',
      { claim: { state: 'restored' }, record: { objectUid: 'before' }, deletion },
      { type: 'release', message: 'deleted before it became the owner' },
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
