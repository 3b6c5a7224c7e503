import { expect, test } from 'vitest';
import { CloudError } from '../../../../src/cloud/cloud-error.ts';
import { peeringId } from '../../../../src/cloud/wire/peering.ts';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import {
  nameTaken,
  heldByFinalizers,
  invalidName,
  newerThanLedger,
} from '../../../../src/reconcile/connection/secret-refused.ts';
import { stepAfterOutcome } from '../../../../src/reconcile/report/visit.ts';
import { othersInLog } from '../../../../src/reconcile/situation/neighbours.ts';
import {
  adoptNamed,
  nameIsTaken,
  nothingToObserve,
  reportLost,
} from '../../../../src/reconcile/decide/rules/missing.ts';
import { awaitReference } from '../../../../src/reconcile/decide/await-reference.ts';
import { awaitDependents } from '../../../../src/reconcile/decide/rules/deleting.ts';
import { rejectSpec } from '../../../../src/reconcile/decide/rules/existing.ts';
import {
  refuseForeignProject,
  resolveCreateAttempt,
} from '../../../../src/reconcile/decide/rules/always.ts';
import { ownsResource } from '../../../../src/reconcile/decide/rules/owning.ts';
import type {
  ObservedAdoption,
  Situation,
  Claimant,
} from '../../../../src/reconcile/situation/situation.ts';
import { requestOnce } from '../../../../src/reconcile/decide/pending-change.ts';
import { type CloudChange, wait, type Step } from '../../../../src/reconcile/step/step.ts';
import { peeringsReady } from '../../../../src/reconcile/kinds/vpc/rules/lifecycle.ts';
import { reasons } from '../../../../src/resources/condition.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
import { resourceKey } from '../../../../src/runtime/index.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { missing, serviceObject, situation } from '../../../support/situation.ts';
import { usableKey } from '../../../support/usable-account.ts';
import { expectShort } from '../../../support/short-message.ts';

/** The operator's own key. */
const ownKey = () => usableKey({ project: 'prj1', operatorsOwn: true });

const anotherPlace = (namespace: string): Claimant => ({
  kind: 'ManagedService',
  key: resourceKey(namespace, 'first'),
  uid: 'first',
  parentId: undefined,
});
const neighbour = anotherPlace('shop');
const stranger = anotherPlace('bank');
const known = { record: { id: 'svc-1' } } as const;
const sharing = { id: 'svc-1', isShared: true } as const;
const attempt = {
  id: 'abcdefgh',
  at: '2026-11-21T09:00:00.000Z',
  request: { name: 'orders' },
  sameNameIds: [],
};
const named = serviceObject({}, { name: 'orders' });
const shared = { ...defaultOptions, sharedProjectAdoption: true };
const attempted = (ids: readonly string[], more: Partial<Situation> = {}) =>
  situation({
    record: { attempt },
    attempt: { state: 'judged', attempt, verdict: { kind: 'ambiguous', ids } },
    ...more,
  });
const failed = (details: { kind: 'invalid' | 'unauthorized'; status: number }) =>
  stepAfterOutcome({
    situation: situation(),
    step: wait('Creating', 'creating'),
    outcome: {
      type: 'failed',
      object: named,
      error: new CloudError({ operation: 'resizeService', sent: true, fromApi: true, ...details }),
    },
  });
const taken = (adoption: ObservedAdoption) => adoptNamed(() => ({}))(missing({ adoption }));
const peeringOf = (status: string) => {
  const wanted = { peerAccountId: '1', peerRegionCode: 'eu', peerVpcId: 'v' };
  const peering = {
    id: peeringId.parse('p1'),
    status,
    peer_account_id: '1',
    peer_region_code: 'eu',
    peer_vpc_id: 'v',
  };
  const metadata = { name: 'prod', namespace: 'shop', uid: 'u', resourceVersion: '1' };
  const object = managedVpcs.parse({
    metadata,
    spec: { cidr: '10.0.0.0/16', regionCode: 'eu', peerings: [wanted] },
  });
  return peeringsReady({
    now: 0,
    object,
    record: { peerings: { '1/eu/v': { id: 'p1' } } },
    peerings: {
      state: 'read',
      peerings: [peering],
      open: [],
      listed: new Set<string>(),
      acceptedAt: new Map(),
      asOf: 0,
      since: 0,
    },
  });
};
const withoutEffect = () => {
  const lastOperation = {
    operation: 'resizeService',
    wanted: '2000m',
    from: '1000m',
    generation: 1,
    at: 0,
    wasBusy: true,
  };
  const change: CloudChange = {
    operation: 'resizeService',
    args: [serviceId.parse('svc-1'), { cpu_millis: '2000', memory_gbs: '4' }],
  };
  const asked = {
    name: 'size',
    path: 'cpuMillis/memoryGbs',
    change,
    from: '1000m',
    wanted: '2000m',
    reason: 'Resizing',
    progress: 'resizing',
    request: 'resize the service',
    remedy: 'change spec.cpuMillis or spec.memoryGbs',
  } as const;
  const object = managedServices.parse({
    metadata: {
      name: 'orders',
      namespace: 'shop',
      uid: 'uid',
      resourceVersion: '1',
      generation: 1,
    },
    spec: {},
    status: { observedGeneration: 1 },
  });
  return requestOnce(
    situation({ object, lastOperation, cloud: { state: 'present', resource: {}, asOf: 60_000 } }),
    asked,
  ).step;
};
const foreignSecret = {
  metadata: { name: 'orders-db', namespace: 'shop', uid: 's', resourceVersion: '1' },
};
const messageOf = (step: Step | undefined) => (step && 'message' in step ? step.message : '');
const annotate = 'annotate ';
const adoptIt = `${annotate}managed-db.io/external-id=`;
const deleteIt = 'kubectl delete managedservices orders -n shop';

/** Each message, with the words in it that name the next action. */
const rows: readonly (readonly [
  case_: string,
  step: Step | undefined,
  reason: string,
  ...toDo: readonly string[],
])[] = [
  [
    'a field that cannot be read',
    rejectSpec(
      situation({
        object: {
          ...named,
          problems: [{ path: 'spec.cpuMillis', value: '9e99', expectation: 'a number' }],
        },
      }),
    ),
    'Rejected',
    'spec.cpuMillis',
    'correct it',
  ],
  [
    'a request that the cloud refuses',
    failed({ kind: 'invalid', status: 422 }),
    'Rejected',
    'change the spec',
  ],
  [
    'a key that may not',
    failed({ kind: 'unauthorized', status: 401 }),
    'Unauthorized',
    'check the rights of the API key',
  ],
  [
    'a resource that is gone',
    reportLost(missing({ ...known, cloud: { state: 'absent' } })),
    'Lost',
    `${annotate}managed-db.io/allow-recreate=svc-1`,
  ],
  [
    'one that may be the answer',
    resolveCreateAttempt(attempted(['a'], { options: shared })),
    'AmbiguousCreate',
    `${adoptIt}a to adopt`,
    `managed-db.io/create-anyway=a`,
  ],
  [
    'several',
    resolveCreateAttempt(attempted(['a', 'b'], { options: shared })),
    'AmbiguousCreate',
    'a, b may come from the unanswered create',
    `${adoptIt}<id>`,
    `managed-db.io/create-anyway=a,b`,
  ],
  [
    'a name that is taken',
    nameIsTaken(
      missing({ object: named, sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] } }),
    ),
    'SameNameExists',
    'choose another spec.name',
    `managed-db.io/create-anyway=true`,
    'managed-db.io/external-id=a to adopt',
  ],
  [
    'nothing to observe',
    nothingToObserve(missing({ object: serviceObject({}, { managementPolicy: 'Observe' }) })),
    'AdoptionFailed',
    `${adoptIt}<id>`,
    'set spec.managementPolicy to Manage',
  ],
  [
    'an external-id of nothing',
    taken({ state: 'notFound', id: 'a' }),
    'AdoptionFailed',
    'correct managed-db.io/external-id',
  ],
  [
    'an external-id of something else',
    taken({ state: 'mismatch', id: 'a', mismatch: 'spec.regionCode' }),
    'AdoptionFailed',
    'correct the spec',
  ],
  [
    'an external-id without a right',
    taken({ state: 'notAllowed', id: 'a' }),
    'NotAllowed',
    'set spec.credentialsRef',
  ],
  [
    'an external-id of a neighbour',
    taken({ state: 'owned', id: 'a', owner: neighbour }),
    'OwnedByAnother',
    'ManagedService first',
    deleteIt,
  ],
  [
    'an external-id of a stranger',
    taken({ state: 'owned', id: 'a', owner: stranger }),
    'OwnedByAnother',
    deleteIt,
  ],
  [
    'a resource of a neighbour, too',
    ownsResource(situation({ record: sharing, claim: { state: 'contested', rival: neighbour } })),
    'NotBound',
    'ManagedService first',
    deleteIt,
  ],
  [
    'a resource of a stranger, too',
    ownsResource(situation({ record: sharing, claim: { state: 'contested', rival: stranger } })),
    'NotBound',
    'a ManagedService of another namespace',
    deleteIt,
  ],
  [
    'a lost ledger entry',
    ownsResource(
      situation({
        claim: { state: 'unbound', why: 'the ledger has no entry of this object', id: 'svc-1' },
      }),
    ),
    'NotBound',
    'restore it',
    `${annotate}managed-db.io/external-id=svc-1`,
    `managed-db.io/create-anyway=svc-1`,
  ],
  [
    'an object of another cluster',
    ownsResource(
      situation({
        claim: { state: 'elsewhere', clusterUid: 'c' },
        object: serviceObject({}, {}, { status: { id: 'svc-1' } }),
      }),
    ),
    'OwnedElsewhere',
    'service svc-1 belongs to another cluster',
    '--accept-objects-of-cluster c',
  ],
  [
    "an answer under the operator's key",
    resolveCreateAttempt(attempted(['a'], { account: ownKey() })),
    'AmbiguousCreate',
    'set spec.credentialsRef',
    `managed-db.io/create-anyway=a`,
  ],
  [
    "a name that is taken, under the operator's key",
    nameIsTaken(
      missing({
        object: named,
        account: ownKey(),
        sameNames: { state: 'read', ids: ['a'], unclaimed: ['a'] },
      }),
    ),
    'SameNameExists',
    'choose another spec.name',
    'set spec.credentialsRef',
  ],
  [
    'a key of another project',
    refuseForeignProject(situation({ account: ownKey(), pinnedProject: 'prj2' })),
    'ForeignProject',
    'use a key of prj2',
  ],
  [
    'a reference that only a person can make usable',
    awaitReference({
      state: 'blocked',
      message: 'service svc-1 is PAUSED: set spec.powerState of its ManagedService to Running',
    }),
    'ReferenceBlocked',
    'set spec.powerState',
  ],
  ['a change without effect', withoutEffect(), 'NotApplied', 'look at the service there'],
  ['a peering that failed', peeringOf('failed'), 'PeeringFailed', 'correct the other side'],
  [
    'a Secret in the way',
    nameTaken(foreignSecret, serviceObject()),
    'SecretConflict',
    'choose another spec.connectionSecret.name',
    'or delete that Secret',
  ],
  [
    'a name that no Secret can have',
    invalidName('a..b'),
    'SecretConflict',
    'spec.connectionSecret.name "a..b"',
    'choose another name',
  ],
  [
    'a Secret that somebody holds',
    heldByFinalizers('orders-db', ['example.com/hold']),
    'SecretConflict',
    'remove that finalizer',
  ],
  [
    'a Secret with a newer password than the ledger',
    newerThanLedger('orders-db'),
    'SecretConflict',
    'set a new text in spec.password.rotation',
    'or delete the Secret',
  ],
];

test.each(rows.map(([name, step, reason, ...toDo]) => ({ name, step, reason, toDo })))(
  '$name: the message says what to do',
  ({ step, reason, toDo }) => {
    expect(step).toMatchObject({ type: 'stall', reason });
    const message = messageOf(step);
    expectShort(step);
    for (const words of toDo) expect(message).toContain(words);
    // A message must not reveal the objects of other namespaces.
    expect(message).not.toContain('bank');
  },
);

test('a command can be copied as it stands, with the rest of its line', () => {
  const commands = rows.flatMap(([, step]) => messageOf(step).match(/kubectl .*/gu) ?? []);
  expect(commands.length).toBeGreaterThan(3);
  for (const command of commands) expect(command).toBe(deleteIt);
});

test('each reason that waits for a person is in the table, or has a test of its own', () => {
  // field-replica-set.test.ts, decide/adoption.test.ts, decide/deletion.test.ts, decide/dependents.test.ts
  const elsewhere = ['CloudError', 'NotBound', 'DeletionProtected', 'DeletionBlocked'];
  expect(new Set([...rows.map(([, , reason]) => reason), ...elsewhere])).toEqual(
    new Set(reasons.stalled),
  );
});

test("a way that the operator's own key does not allow is not offered", () => {
  for (const [name, step] of rows) {
    if (!name.includes("operator's key")) continue;
    expect(messageOf(step)).not.toContain('external-id');
  }
});

test('the log names the foreign owner of a resource in any namespace', () => {
  expect(
    othersInLog(situation({ ...known, claim: { state: 'contested', rival: stranger } })),
  ).toEqual(['ManagedService/bank/first']);
});

test('a deletion that waits for a dependent of a second namespace does not name the dependent', () => {
  const dependents = [neighbour, stranger].map((owner) => ({
    noun: 'attached service',
    id: 'svc-9',
    owner,
  }));
  const deletion = {
    requested: true,
    started: false,
    crdTerminating: false,
    crdLacks: [],
    dependents,
  };
  const step = awaitDependents({
    ...situation({ deletion, cloud: { state: 'present', resource: {}, asOf: 0 } }),
    phase: 'deleting',
    key: ownKey(),
    id: 'svc-1',
  });
  const message = messageOf(step);
  expect(message).toContain("2 attached services: first, another namespace's;");
});
