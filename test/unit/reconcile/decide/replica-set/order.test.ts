import { describe, expect, test } from 'vitest';
import { refusalKey } from '../../../../../src/reconcile/step/outcome.ts';
import { decideReplicaSet } from '../../../../../src/reconcile/kinds/replica-set/kind.ts';
import { stall } from '../../../../../src/reconcile/step/step.ts';
import { layered, type Layer } from '../../../../support/layers.ts';
import { current, outdated } from '../../../../support/our-secret.ts';
import {
  notMade,
  replicaSecret,
  replicaSetSituation,
  type GivenReplicaSet,
} from '../../../../support/situation-of-others.ts';
import { firstOf, noon } from '../../../../support/situation.ts';
import { stepLike } from '../../../../support/step-like.ts';
import { usableKey } from '../../../../support/usable-account.ts';
import { whoseItIs } from '../owner-rows.ts';

/** Each row holds all that stands below it, too, and goes first. */

describe('the decision about an existing replica set follows the first applicable situation:', () => {
  const rows = layered<GivenReplicaSet>([
    ...whoseItIs,
    [
      'a field that cannot be read',
      { spec: { nodes: 'many' } },
      { type: 'stall', reason: 'Rejected', message: 'the operator changes nothing' },
    ],
    [
      'Observe',
      { spec: { managementPolicy: 'Observe' } },
      {
        type: 'done',
        reason: 'Observed',
        message: 'the replica set is observed and never changed; it differs: cpuMillis/memoryGbs',
      },
    ],
    [
      'an edited connection Secret',
      { secret: outdated(true, replicaSecret) },
      {
        type: 'write',
        action: { type: 'storeConnection', isEdited: true },
        message: '"reads-replicas-db" was edited and is restored',
      },
    ],
    [
      'work of the cloud',
      { seen: { status: 'resizing' } },
      { type: 'wait', reason: 'Resizing', message: 'the cloud is resizing the replica set' },
    ],
    [
      'a changed size in the spec',
      { spec: { cpuMillis: 3000 }, seen: { status: 'active' } },
      { type: 'call', reason: 'Resizing', message: '; then: environment, connection pooler' },
    ],
    [
      'a changed environment in the spec',
      { spec: { environment: 'DEV' }, seen: { status: 'active' } },
      { type: 'call', reason: 'SettingEnvironment', message: '; then: size, connection pooler' },
    ],
    [
      'a connection pooler in the spec',
      { spec: { connectionPooler: { enabled: true } }, seen: { status: 'active' } },
      { type: 'call', reason: 'ConfiguringPooler', message: '; then: size' },
    ],
    [
      'a connection Secret that is outdated',
      { secret: outdated(false, replicaSecret) },
      {
        type: 'write',
        action: { type: 'storeConnection', isEdited: false },
        message: '"reads-replicas-db" is brought up to date',
      },
    ],
    [
      'a connection Secret of an earlier name',
      { secret: current(replicaSecret, ['before']) },
      {
        type: 'write',
        action: { type: 'dropConnections', names: ['before'] },
        message: '"before" is replaced by "reads-replicas-db"',
      },
    ],
    [
      'an error of the cloud',
      { seen: { status: 'error' } },
      {
        type: 'stall',
        reason: 'CloudError',
        retryAfterMs: 60_000,
        message: 'the cloud reports an error on the replica set',
      },
    ],
    [
      'a size that the cloud refused',
      {
        spec: { cpuMillis: 2000 },
        seen: { status: 'active' },
        refusals: new Map([
          [
            refusalKey('resizeReplicaSet', '2000m/4GB'),
            {
              generation: 1,
              again: noon + 60_000,
              times: 1,
              isUnclear: false,
              step: stall('Rejected', 'too large'),
            },
          ],
        ]),
      },
      { type: 'stall', reason: 'Rejected', message: 'too large' },
    ],
    [
      'a replica set that matches its spec',
      {},
      { type: 'done', reason: 'Available', message: 'the replica set is available at' },
    ],
  ]);
  test.each(rows)('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toMatchObject(stepLike(expected));
  });
});

const toBeMade: readonly Layer<GivenReplicaSet>[] = [
  [
    'a field that cannot be read',
    { spec: { nodes: 'many' } },
    { type: 'stall', reason: 'Rejected', message: 'the operator changes nothing' },
  ],
  [
    'a service that does not exist yet',
    { parent: { state: 'waiting', message: 'there is no ManagedService orders' } },
    { type: 'wait', reason: 'WaitingForReference', message: 'there is no ManagedService orders' },
  ],
  [
    'a replica set to adopt',
    { adoption: { state: 'found', id: 'rs-9' } },
    { type: 'write', reason: 'Adopting', message: 'taking over replica set rs-9' },
  ],
  [
    'Observe',
    { spec: { managementPolicy: 'Observe' } },
    { type: 'stall', reason: 'AdoptionFailed', message: 'there is no replica set to observe' },
  ],
  [
    'a create that the cloud refused a moment ago',
    {
      createFailedAt: noon - 1_000,
      status: {
        refusal: {
          attempt: 'abcdefgh',
          generation: 1,
          failures: 1,
          at: '2026-11-21T11:59:59Z',
          message: 'no',
          stalled: 'Rejected',
        },
      },
    },
    { type: 'stall', reason: 'Rejected', message: 'no' },
  ],
  [
    'a name that is taken',
    { sameNames: { state: 'read', ids: ['rs-9'], unclaimed: ['rs-9'] } },
    { type: 'stall', reason: 'SameNameExists', message: 'rs-9' },
  ],
  [
    'no obstacle to the create',
    {},
    { type: 'call', reason: 'Creating', message: 'creating the replica set on service svc-1' },
  ],
];

describe('the decision about a replica set that was never created follows the first applicable situation:', () => {
  const made = layered([...whoseItIs, ...toBeMade], notMade);
  test.each(made)('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toMatchObject(stepLike(expected));
  });
});

describe('the decision about a lost replica set follows the first applicable situation:', () => {
  const gone: GivenReplicaSet = { cloud: { state: 'absent' } };
  const lost: Layer<GivenReplicaSet> = [
    'no recreation is allowed',
    {},
    { type: 'stall', reason: 'Lost', message: 'allow-recreate=rs-1 for an empty replica set' },
  ];
  test.each(layered<GivenReplicaSet>([...whoseItIs, lost], gone))('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toMatchObject(stepLike(expected));
  });
  test.each(toBeMade)('no recreation is allowed, also with %s', (_, given) => {
    expect(decideReplicaSet(replicaSetSituation({ ...gone, ...given }))).toMatchObject({
      type: 'stall',
      reason: 'Lost',
    });
  });

  const replaceable: GivenReplicaSet = {
    ...gone,
    annotations: { 'managed-db.io/allow-recreate': 'rs-1' },
  };
  const made = layered(
    toBeMade.filter(([sentence]) => sentence !== 'Observe'),
    replaceable,
  );
  test.each(made)('a recreation is allowed, and %s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toMatchObject(stepLike(expected));
  });
});

describe('the decision about a replica set that is being deleted follows the first applicable situation:', () => {
  const rows = layered<GivenReplicaSet>(
    [
      [
        'an unreadable field that decides about deletion',
        { spec: { deletionPolicy: 'Perhaps' } },
        { type: 'stall', reason: 'Rejected', message: 'the operator changes and deletes nothing' },
      ],
      [
        'a foreign owner, which keeps the replica set',
        { claim: { state: 'contested', rival: firstOf('shop') } },
        { type: 'release', message: 'replica set rs-1 has another owner and stays' },
      ],
      [
        'suspend',
        { spec: { suspend: true } },
        {
          type: 'stall',
          reason: 'DeletionBlocked',
          message: 'deletion waits because spec.suspend is true',
        },
      ],
      [
        'Retain',
        { spec: { deletionPolicy: 'Retain' } },
        { type: 'release', message: 'the replica set stays in the cloud' },
      ],
      [
        'credentials that are missing',
        { account: { state: 'missing', problem: 'no key', remedy: 'create it' } },
        { type: 'wait', reason: 'WaitingForCredentials', message: 'no key' },
      ],
      [
        'credentials of another project',
        { account: usableKey({ project: 'prj-2' }) },
        {
          type: 'stall',
          reason: 'ForeignProject',
          message: 'or set spec.deletionPolicy to Retain to keep the replica set',
        },
      ],
      [
        'protection',
        { spec: { environment: 'PROD' } },
        { type: 'stall', reason: 'DeletionProtected', message: 'because its environment is PROD' },
      ],
      [
        'any unreadable or changed other field',
        { spec: { nodes: 'many', cpuMillis: 2000 } },
        { type: 'call', reason: 'Deleting', message: 'the cloud is deleting the replica set rs-1' },
      ],
    ],
    { deletion: { requested: true } },
  );
  test.each(rows)('%s', (_, given, expected) => {
    expect(decideReplicaSet(replicaSetSituation(given))).toMatchObject(stepLike(expected));
  });
});
