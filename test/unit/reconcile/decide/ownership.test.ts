import { describe } from 'vitest';
import { allDecide, creates, decides, type Given, type Row } from '../../../support/policy-rows.ts';
import { absent, unread } from '../../../support/our-secret.ts';
import {
  cloudError,
  firstOf,
  judged,
  keySecret,
  noon,
  notCreated,
  opened,
  recordOf,
} from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';

const deletion = { requested: true };
const claims = {
  contested: { claim: { state: 'contested', rival: firstOf('shop') } },
  copied: { claim: { state: 'copied', original: firstOf('shop') } },
  known: { claim: { state: 'contested', rival: firstOf('shop') }, record: { isShared: true } },
  elsewhere: { claim: { state: 'elsewhere', clusterUid: 'c' } },
  unbound: {
    claim: { state: 'unbound', why: 'the ledger has no entry of this object', id: 'svc-1' },
  },
} as const;
const rebind = { claim: { state: 'rebind', entry: 'managedservice-before' } } as const;
const noKey = { account: { state: 'missing', problem: 'no key', remedy: 'create it' } } as const;
const left = { leftEntries: ['managedservice-before'] } as const;
const openCreate = opened(judged({ kind: 'none' }));
const rejected = (path: string) =>
  ({ type: 'stall', reason: 'Rejected', message: `${path} cannot be read` }) as const;

const holds = (lost: string) =>
  ({
    type: 'write',
    action: { type: 'hold' },
    message: `the ${lost} was lost and is written back`,
  }) as const;

describe('an unreadable field that decides about permitted changes', () => {
  const unreadable: readonly (readonly [path: string, spec: object])[] = [
    ['spec.suspend', { suspend: 'no' }],
    ['spec.deletionPolicy', { deletionPolicy: 'Keep' }],
    ['spec.deletionProtection', { deletionProtection: 'yes' }],
    ['spec.managementPolicy', { managementPolicy: 'Look' }],
    ['spec.credentialsRef', { credentialsRef: 5 }],
  ];
  allDecide([
    ...unreadable.flatMap(([path, spec]): Row[] => [
      [`(${path}) stops all calls`, { spec }, rejected(path)],
      [
        `(${path}) stops the deletion`,
        { spec, deletion },
        { ...rejected(path), message: 'the operator changes and deletes nothing' },
      ],
      [`(${path}) stops the create`, { ...notCreated, spec }, rejected(path)],
    ]),
    [
      'is reported before spec.suspend',
      { spec: { suspend: true, deletionPolicy: 'Keep' } },
      rejected('spec.deletionPolicy'),
    ],
    [
      'is reported before the claim of a second object',
      { spec: { deletionPolicy: 'Keep' }, ...claims.contested, deletion },
      rejected('spec.deletionPolicy'),
    ],
  ]);
  decides([
    [
      '(spec.environment) stops the deletion, since PROD would protect the service',
      { spec: { environment: 'PRODUCTION' }, deletion },
      { ...rejected('spec.environment'), message: 'the operator changes and deletes nothing' },
    ],
  ]);
});

const blocked = (advice: string) =>
  ({
    type: 'stall',
    reason: 'DeletionBlocked',
    message: `deletion waits because spec.suspend is true: ${advice}set spec.suspend to false to go on`,
  }) as const;

describe('spec.suspend', () => {
  const spec = { suspend: true };
  const suspended = {
    type: 'suspended',
    message: 'spec.suspend is true: the operator changes nothing',
  } as const;
  const differs = { ...suspended, differs: true } as const;
  const keepable = blocked('to keep the service, set spec.deletionPolicy to Retain first; ');
  const waits = blocked('');
  const started = { requested: true, started: true };
  const retain = { ...spec, deletionPolicy: 'Retain' };
  decides([
    [
      'with the value false changes nothing',
      { spec: { suspend: false } },
      { type: 'done', reason: 'Available', message: 'the service is available at' },
    ],
    [
      'lists the edits that are not applied',
      { spec: { ...spec, cpuMillis: 2000, environment: 'DEV' } },
      {
        ...differs,
        message:
          'it differs: cpuMillis/memoryGbs is 1000m/4GB, not 2000m/4GB, environment is none, not DEV',
      },
    ],
    [
      'names a connection Secret that is missing, and stays so',
      { spec, secret: absent() },
      { ...differs, message: 'it differs: Secret "orders-db"' },
    ],
    [
      'says nothing about the connection Secret of an observed service',
      { spec: { ...spec, managementPolicy: 'Observe' }, secret: unread },
      suspended,
    ],
    [
      'names the work of the cloud that is not over',
      { spec, seen: { status: 'CONFIGURING' } },
      { ...differs, message: 'it differs: state is CONFIGURING' },
    ],
  ]);
  allDecide([
    ['stops all changes', { spec }, suspended],
    [
      'stops the create',
      { ...notCreated, spec },
      { ...differs, message: 'no service was created; spec.suspend is true' },
    ],
    [
      'hides no lost resource',
      { spec, cloud: { state: 'absent' } },
      { ...differs, message: 'the service is gone from the cloud; spec.suspend is true' },
    ],
    ['is reported before an open create', { ...openCreate, spec }, differs],
    [
      'is reported before the resource of an open create',
      { ...opened(judged({ kind: 'one', id: 'svc-2' })), spec },
      differs,
    ],
    [
      'says nothing about a resource that cannot be read',
      { spec, cloud: { state: 'unknown', error: cloudError() } },
      { ...suspended, differs: 'unknown' },
    ],
    [
      'says nothing about a resource that the cloud does not show now',
      { spec, cloud: { state: 'missing', again: noon } },
      { ...suspended, differs: 'unknown' },
    ],
    ['is reported before missing credentials', { spec, ...noKey }, suspended],
    [
      'is reported before a credentials Secret that is not held',
      { spec, account: usableKey({ secret: keySecret({ held: false }) }) },
      suspended,
    ],
    [
      'is reported before an unreadable spec',
      { spec: { ...spec, name: 5 } },
      { ...differs, message: 'set it to false to go on; it differs: spec.name' },
    ],
    ['stops the deletion', { spec, deletion }, keepable],
    ['stops the deletion without a key', { spec, deletion, ...noKey }, keepable],
    [
      'delays a deletion that has begun, without advice about Retain',
      { spec, deletion: started },
      waits,
    ],
    [
      'delays a deletion that has begun, also with Retain',
      { spec: retain, deletion: started },
      waits,
    ],
    ['stops the release, also with Retain', { spec: retain, deletion }, waits],
    [
      'stops the release, also with Observe',
      { spec: { ...spec, managementPolicy: 'Observe' }, deletion },
      waits,
    ],
    ['stops the release, also when nothing was created', { ...notCreated, spec, deletion }, waits],
    ['stops the release while a create is open', { ...openCreate, spec, deletion }, waits],
    [
      'stops the release, also when the resource is absent',
      { spec, cloud: { state: 'absent' }, deletion: started },
      waits,
    ],
  ]);
});

describe('an object that is not bound to its resource', () => {
  const besides: readonly (readonly [string, Given])[] = [
    ['', {}],
    [', and a create is open', openCreate],
    [', and the key is missing', noKey],
    [', and it is suspended', { spec: { suspend: true } }],
    [', and it is protected', { spec: { deletionProtection: true } }],
    [', and a DELETE was begun', { deletion: { started: true } }],
    [', and it is lost', { cloud: { state: 'absent' } }],
    [', and the finalizer was lost', { hasFinalizer: false }],
    [', and the spec cannot be read', { spec: { name: 5 } }],
  ];
  const rows = [
    [
      'two objects have the resource',
      claims.known,
      'NotBound',
      'belongs to ManagedService first, too: delete this object',
      'has another owner and stays',
    ],
    [
      'a second cluster has the resource',
      claims.elsewhere,
      'OwnedElsewhere',
      '--accept-objects-of-cluster c',
      'prj-1 belongs to another cluster and stays; apply this object again',
    ],
    [
      'the object has no ledger entry',
      claims.unbound,
      'NotBound',
      'managed-db.io/external-id=svc-1 to adopt, or managed-db.io/create-anyway=svc-1 for another',
      'may still be in the cloud, and the ledger has no entry',
    ],
    [
      'the annotation names the entry of another object',
      {
        claim: {
          state: 'unbound',
          why: 'managed-db.io/ledger names another entry',
          id: undefined,
          pointedId: 'svc-2',
        },
      },
      'NotBound',
      'managed-db.io/external-id=svc-2 to adopt, or remove managed-db.io/ledger for another',
      'may still be in the cloud, and managed-db.io/ledger names another entry; apply it again with managed-db.io/external-id=svc-2',
    ],
    [
      'the annotation was copied from an object that exists',
      claims.copied,
      'NotBound',
      'managed-db.io/ledger was copied from ManagedService ',
      'managed-db.io/ledger was copied from ManagedService first, which keeps its',
    ],
    [
      'its entry was removed while its create had no answer',
      {
        claim: {
          state: 'unbound',
          why: 'the ledger has no entry of this object',
          id: '0123456789abcdef',
          asked: 'orders-attemp',
          projectId: 'prj-1',
        },
      },
      'NotBound',
      'the create of "orders-attemp" in project prj-1 has no answer: look in the cloud; managed-db.io/external-id=<id> adopts it, managed-db.io/create-anyway=0123456789abcdef makes another',
      'the create of "orders-attemp" in project prj-1 has no answer: look for it in the cloud, where it may cost money',
    ],
    [
      'the id of the resource is unknown',
      { claim: { state: 'unbound', why: 'the ledger has no entry of this object', id: undefined } },
      'NotBound',
      'managed-db.io/external-id=<id> to adopt, or remove managed-db.io/ledger for another',
      'may still be in the cloud, and the ledger has no entry',
    ],
  ] as const;
  allDecide(
    rows.flatMap(([sentence, claim, reason, advice, gone]) =>
      besides.flatMap(([more, given]): Row[] => [
        [
          `only reports if ${sentence}${more}`,
          { ...given, ...claim },
          {
            type: 'stall',
            reason,
            message: advice,
            ...(reason === 'NotBound' ? { retryAfterMs: 60_000 } : {}),
          },
        ],
        [
          `is released without an effect on the cloud if ${sentence}${more}`,
          { ...given, ...claim, deletion: { ...given.deletion, requested: true } },
          { type: 'release', message: gone },
        ],
      ]),
    ),
  );
});

describe('an object that takes over a ledger entry', () => {
  const takes = {
    type: 'write',
    action: { type: 'rebind', entry: 'managedservice-before' },
    message: 'takes over the ledger entry',
  } as const;
  allDecide([
    [
      'takes over the entry before any other step',
      { ...notCreated, ...rebind, hasFinalizer: false },
      takes,
    ],
    [
      'takes over the entry while the object is suspended',
      { ...notCreated, ...rebind, spec: { suspend: true } },
      takes,
    ],
    ['takes over the entry before a deletion', { ...notCreated, ...rebind, deletion }, takes],
    ['takes over the entry without a key', { ...notCreated, ...rebind, ...noKey }, takes],
  ]);
});

describe('an object with a resource', () => {
  allDecide([
    ['gets a lost finalizer back', { hasFinalizer: false }, holds('finalizer')],
    ['gets a lost pointer back', { hasPointer: false }, holds('ledger pointer')],
    [
      'gets a lost finalizer back while it is suspended',
      { hasFinalizer: false, spec: { suspend: true } },
      holds('finalizer'),
    ],
    [
      'gets a lost finalizer back before a key is asked for',
      { hasFinalizer: false, ...noKey },
      holds('finalizer'),
    ],
    [
      'gets a lost finalizer back while its create is open',
      { ...openCreate, hasFinalizer: false },
      holds('finalizer'),
    ],
    [
      'gets no finalizer while it is being deleted',
      { hasFinalizer: false, deletion },
      {
        type: 'call',
        reason: 'Deleting',
        action: { type: 'delete', id: 'svc-1' },
        message: 'the cloud is deleting the service svc-1',
      },
    ],
    [
      'has the entries of earlier objects about it deleted',
      left,
      {
        type: 'write',
        action: { type: 'dropEntries', names: ['managedservice-before'] },
        message: 'of an earlier object is deleted',
      },
    ],
    [
      'keeps the entries of earlier objects while it is suspended',
      { ...left, spec: { suspend: true } },
      {
        type: 'suspended',
        message: 'the operator changes nothing for this object; set it to false to go on',
      },
    ],
    [
      'keeps the entries of earlier objects while its key is missing',
      { ...left, ...noKey },
      { type: 'wait', reason: 'WaitingForCredentials', afterMs: 15_000, message: 'no key' },
    ],
    [
      'keeps the entries of earlier objects while it has no pointer',
      { ...left, hasPointer: false },
      holds('ledger pointer'),
    ],
  ]);
  decides([
    [
      'needs no finalizer before the create',
      { ...notCreated, hasFinalizer: false },
      { type: 'call', reason: 'Creating', action: creates(), message: 'creating the service' },
    ],
  ]);
});

describe('an object that shares its resource', () => {
  const shared = { isShared: true } as const;
  const released = { id: 'svc-1', projectId: 'prj-1', fate: 'retained' } as const;
  decides([
    [
      'records the sharing before any other step',
      claims.contested,
      {
        type: 'write',
        action: { type: 'writeRecord', record: recordOf('svc-1', shared) },
        message: 'service svc-1 has two owners',
      },
    ],
    [
      'leaves the resource in the cloud if both owners are deleted together',
      { deletion, record: shared },
      { type: 'release', message: 'the service stays in the cloud', released },
    ],
    [
      'records the end of the sharing when it is the only owner again',
      { record: shared },
      {
        type: 'write',
        action: { type: 'writeRecord', record: recordOf('svc-1') },
        message: 'service svc-1 has a single owner again',
      },
    ],
  ]);
});
