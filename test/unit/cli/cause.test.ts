import { expect, test } from 'vitest';
import { causesOf, explain, findingsIn } from '../../../src/cli/why/cause.ts';
import { causesText, explanationText } from '../../../src/cli/why/text.ts';
import { resourceTypes, type Kind } from '../../../src/resources/managed-object.ts';

const earlier = '2026-11-28T08:00:00Z';
const later = '2026-11-28T10:00:00Z';

function service(conditions: readonly object[], spec: object = {}) {
  return resourceTypes.ManagedService.parse({
    metadata: { name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1', generation: 1 },
    spec,
    status: {
      conditions: conditions.map((each) => ({ observedGeneration: 1, message: 'said', ...each })),
    },
  });
}

const synced = (status: string, reason: string, lastTransitionTime: string) => ({
  type: 'Synced',
  status,
  reason,
  lastTransitionTime,
});

test.for([
  ['Synced that just turned False', [synced('False', 'Lost', later)], {}, later],
  [
    'a reason that came while Synced stayed False',
    [
      synced('False', 'Rejected', earlier),
      { ...synced('True', 'Rejected', later), type: 'Stalled' },
    ],
    {},
    later,
  ],
  [
    'a suspension, whose begin no condition has',
    [synced('True', 'Suspended', earlier)],
    { suspend: true },
    undefined,
  ],
  [
    'a condition from the begin of 1970',
    [synced('False', 'Lost', '1970-01-01T00:00:00Z')],
    {},
    undefined,
  ],
] as const)(
  'why counts the duration since the reason began: %s',
  async ([, conditions, spec, since]) => {
    const object = service(conditions, spec);
    const explanation = explain(object, await findingsIn([[object]]));
    expect(explanation.since).toBe(since);
    const text = explanationText(explanation, [], Date.parse(later) + 5_000);
    expect(text.includes('(for 5s)')).toBe(since !== undefined);
  },
);

test.for([
  ['is only observed and differs', 'Observed', {}],
  ['is stopped, and has changes for later', 'Stopped', { powerState: 'Stopped' }],
] as const)(
  'why advises no sync, which changes nothing, for an object that %s',
  async ([, reason, spec]) => {
    const object = service([synced('False', reason, later)], spec);
    const text = explanationText(
      explain(object, await findingsIn([[object]])),
      [],
      Date.parse(later),
    );
    expect(text).toContain('Do:    as the cause says; the operator notices it');
  },
);

test('a suspended object with a newer edit waits for the operator', async () => {
  const before = { ...synced('True', 'Suspended', earlier), observedGeneration: 0 };
  const object = service([before], { suspend: true });
  expect(explain(object, await findingsIn([[object]])).reason).toBe('Pending');
});

test('of objects that are as their specs ask, only the references are kept', async () => {
  const objects = await findingsIn([[service([synced('True', 'Available', earlier)])]]);
  expect([objects.findings.size, [...objects.satisfied]]).toEqual([
    0,
    ['ManagedService/shop/orders'],
  ]);
});

test.for([
  ['WaitingForLedger', 'as the cause says; the operator notices it'],
  ['WaitingForCredentials', 'as the cause says; the operator notices it'],
  ['NotConverging', 'as the cause says; the operator notices it'],
  ['InternalError', 'as the cause says; the operator notices it'],
  ['Creating', 'wait: the operator continues by itself'],
  ['CloudUnavailable', 'wait: the operator continues by itself'],
] as const)(
  'the action for an object that retries is to wait only if nobody has to act: %s',
  async ([reason, action]) => {
    const object = service([
      synced('False', reason, earlier),
      { ...synced('True', reason, earlier), type: 'Reconciling' },
    ]);
    const explanation = explain(object, await findingsIn([[object]]));
    expect(explanationText(explanation, [], Date.parse(later))).toContain(`Do:    ${action}\n`);
  },
);

function held(name: string, reason: string, ...heldChanges: readonly object[]) {
  const conditions = [
    { ...synced('False', reason, earlier), observedGeneration: 1, message: name },
  ];
  const since = { operation: 'resizeService', change: 'a -> b', since: earlier };
  return resourceTypes.ManagedService.parse({
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1', generation: 1 },
    spec: {},
    status: { conditions, heldChanges: heldChanges.map((each) => ({ ...since, ...each })) },
  });
}
const opening = '2026-11-29T02:00:00.000Z';

test.for([
  [
    'a window that opens',
    held('a', 'WaitingForWindow', { waitsFor: 'Window', until: opening }),
    'wait: the operator makes the change when the window opens',
    'time',
  ],
  [
    'windows that never meet',
    held('a', 'WaitingForWindow', { waitsFor: 'Window' }),
    'as the cause says; the operator notices it',
    'person',
  ],
  [
    'an approval',
    held('a', 'WaitingForApproval', { waitsFor: 'Approval' }),
    'managed-db approve msvc/a -n shop',
    'person',
  ],
] as const)(
  'why names the next action for a change that waits for: %s',
  async ([, object, action, waitsFor]) => {
    const explanation = explain(object, await findingsIn([[object]]));
    expect(explanation.waitsFor).toBe(waitsFor);
    expect(explanationText(explanation, [], Date.parse(later))).toContain(`Do:    ${action}\n`);
  },
);

test('why -A groups held objects by the kind of wait, without the change of a single object', async () => {
  const window = { waitsFor: 'Window', until: opening };
  const objects = [
    held('a', 'WaitingForWindow', window),
    held('b', 'WaitingForWindow', window),
    held('c', 'WaitingForApproval', { waitsFor: 'Approval' }),
    held('d', 'WaitingForWindow', { waitsFor: 'Window' }),
  ];
  const all = await findingsIn([objects]);
  const text = causesText(causesOf(objects.map((each) => explain(each, all))), 4);
  expect(text).toBe(
    [
      '2 objects: WaitingForWindow: changes wait for a change window',
      '    msvc/a -n shop, msvc/b -n shop',
      '',
      '1 object: WaitingForApproval: c',
      '    msvc/c -n shop',
      '',
      '1 object: WaitingForWindow: d',
      '    msvc/d -n shop',
      '',
      '4 of 4 objects not as specified.',
      '',
    ].join('\n'),
  );
});

test.for([
  [
    'of a service with running hours wait for time',
    { runningHours: ['Mon 07:00-20:00 UTC'] },
    'time',
  ],
  ['of another stopped service wait for a person', { powerState: 'Stopped' }, 'person'],
] as const)('the pending changes %s', async ([, spec, waitsFor]) => {
  const object = service([synced('False', 'Stopped', earlier)], spec);
  expect(explain(object, await findingsIn([[object]])).waitsFor).toBe(waitsFor);
});

/** An object of the namespace `shop` with this reason, which a person must end if it is stalled. */
function of(
  kind: Kind,
  name: string,
  reason: string,
  { isStalled = true, isLeaving = false, spec = {} } = {},
) {
  const stalled = { ...synced('True', reason, earlier), type: 'Stalled' };
  const conditions = [synced('False', reason, earlier), ...(isStalled ? [stalled] : [])];
  const sizes = kind === 'ReplicaSet' ? { nodes: 1, cpuMillis: 500, memoryGbs: 2 } : {};
  return resourceTypes[kind].parse({
    metadata: {
      name,
      namespace: 'shop',
      uid: name,
      resourceVersion: '1',
      generation: 1,
      ...(isLeaving && { deletionTimestamp: later }),
    },
    spec: { ...sizes, ...spec },
    status: {
      conditions: conditions.map((each) => ({ ...each, observedGeneration: 1, message: name })),
    },
  });
}
const onOrders = { spec: { serviceRef: { name: 'orders' } } };
const forkOfOrders = { spec: { fork: { serviceRef: { name: 'orders' }, strategy: 'NOW' } } };
const leaving = { isLeaving: true };
const blocked = of('ManagedService', 'orders', 'DeletionBlocked', leaving);
const inDeletion = of('ManagedService', 'orders', 'Deleting', {
  isLeaving: true,
  isStalled: false,
});

test.for([
  ['a stopped replica set', blocked, of('ReplicaSet', 'r', 'Stopped', onOrders), 'orders'],
  ['a refused replica set', blocked, of('ReplicaSet', 'r', 'Rejected', onOrders), 'orders'],
  [
    'a replica set that is about to be gone',
    blocked,
    of('ReplicaSet', 'r', 'Deleting', { ...onOrders, isLeaving: true, isStalled: false }),
    'orders',
  ],
  [
    'a replica set whose deletion a person must help',
    blocked,
    of('ReplicaSet', 'r', 'DeletionProtected', { ...onOrders, isLeaving: true }),
    'r',
  ],
  [
    'a replica set whose deletion a person must help, while the service waits',
    inDeletion,
    of('ReplicaSet', 'r', 'DeletionProtected', { ...onOrders, isLeaving: true }),
    'r',
  ],
  [
    'an unfinished fork, while the service waits',
    inDeletion,
    of('ManagedService', 'f', 'Creating', { ...forkOfOrders, isStalled: false }),
    'f',
  ],
  [
    'a finished fork with a refused change, while the service waits',
    inDeletion,
    of('ManagedService', 'f', 'Rejected', forkOfOrders),
    'orders',
  ],
] as const)(
  'of a service in deletion with %s, why names the object that holds up the deletion',
  async ([, object, other, cause]) => {
    const { chain } = explain(object, await findingsIn([[object, other]]));
    expect(chain.at(-1)).toMatchObject({ name: cause });
  },
);
