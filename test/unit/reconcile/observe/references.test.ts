import { describe, expect, test } from 'vitest';
import { Poller } from '../../../../src/cloud/poller.ts';
import { type Service, serviceId } from '../../../../src/cloud/wire/service.ts';
import {
  inState,
  forkSourceIn,
  serviceReference,
  stoppedServiceOf,
  vpcReference,
} from '../../../../src/reconcile/observe/references.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
import type { RuleOptions } from '../../../../src/reconcile/situation/situation.ts';
import { systemClock } from '../../../../src/runtime/index.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { cloudService, recordOf } from '../../../support/situation.ts';
import { usableAccount, usableKey } from '../../../support/usable-account.ts';

/** A reference counts if the object that it names owns its resource. (docs/safety.md, Owning) */

interface Given {
  /** The cluster of the ledger entry. */
  readonly clusterUid?: string;
  /** The uid of another living object with the same resource. */
  readonly rival?: string;
  /** The project of the resource. */
  readonly project?: string;
  /** The credentials Secret of the object "prod", and that of the objects which refer to it. */
  readonly secret?: string;
  readonly ownSecret?: string;
}

const withKey = (name: string | undefined) =>
  name === undefined ? {} : { credentialsRef: { name } };

const newService = (spec: object) =>
  managedServices.parse({
    metadata: { name: 'new', namespace: 'shop', uid: 'uid of new', resourceVersion: '1' },
    spec,
  });

/** The three references to an object "prod" with this entry: of a service to its VPC, of a replica set to its service, of a fork to its source. */
function referencesTo({ clusterUid = 'here', rival, project = 'prj-1', secret, ownSecret }: Given) {
  const caches = ledgerCache();
  const claims = claimTable(caches, handClock());
  const view = {
    caches,
    claims,
    clusterUid: 'here',
    evidence: evidence(),
    options: defaultOptions,
  };
  const put = (namespace: string, uid: string) => {
    const metadata = { name: 'prod', namespace, uid, resourceVersion: '1' };
    const vpc = managedVpcs.parse({
      metadata,
      spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1', ...withKey(secret) },
    });
    const service = managedServices.parse({ metadata, spec: withKey(secret) });
    caches.of('ManagedVpc').wrote(vpc);
    caches.of('ManagedService').wrote(service);
    for (const object of [vpc, service])
      caches.ledger.entries.wrote(
        entryFor(object, { id: 'res-1', projectId: project, outcome: 'created', clusterUid }),
      );
  };
  put('shop', 'uid-of-prod');
  if (rival !== undefined) put('other', rival);
  const account = usableKey();
  const serviceRef = { name: 'prod' };
  const own = withKey(ownSecret);
  const fork = newService({ fork: { serviceRef, strategy: 'NOW' }, ...own });
  return [
    vpcReference(newService({ vpcRef: { name: 'prod' }, ...own }), account, view),
    serviceReference(
      newService(own),
      { ...forkSourceIn(fork), refField: 'serviceRef' },
      account,
      view,
    ),
    serviceReference(fork, forkSourceIn(fork), account, view),
  ];
}

const found = { state: 'found', id: 'res-1' };
const notBound: unknown = expect.objectContaining({
  state: 'waiting',
  message: expect.stringContaining('"prod" is not bound to its resource') as unknown,
});

test('a reference finds the resource of an object of this cluster by the name of the object', () => {
  expect(referencesTo({})).toEqual([found, found, found]);
});

test.each<[string, Given]>([
  ['was restored into another cluster', { clusterUid: 'production' }],
  ['shares its resource with another object', { rival: 'uid-of-rival' }],
])('nothing is made on the resource of an object that %s, nor attached to it', (_, given) => {
  expect(referencesTo(given)).toEqual([notBound, notBound, notBound]);
});

function forkOf(name: string, source: string | undefined) {
  return managedServices.parse({
    metadata: { name, namespace: 'shop', uid: name, resourceVersion: '1' },
    spec: source === undefined ? {} : { fork: { serviceRef: { name: source }, strategy: 'NOW' } },
  });
}

/** Services that the cloud does not have yet, each with the source of its fork. */
function sourceOfFork(forks: Readonly<Record<string, string | undefined>>, of: string) {
  const objects = Object.entries(forks).map(([name, source]) => forkOf(name, source));
  const caches = ledgerCache(objects);
  const view = {
    caches,
    claims: claimTable(caches, handClock()),
    clusterUid: 'here',
    evidence: evidence(),
    options: defaultOptions,
  };
  const object = forkOf(of, forks[of]);
  return serviceReference(object, forkSourceIn(object), usableKey(), view);
}

test.each([
  ['of two services', { a: 'b', b: 'a' }, '(a, b)'],
  ['of three services', { a: 'b', b: 'c', c: 'a' }, '(a, b, c)'],
])('a circle of forks %s waits for a person, since none can be created', (_, forks, names) => {
  expect(sourceOfFork(forks, 'a')).toEqual({
    state: 'blocked',
    message: `spec.fork.serviceRef "b" is in turn a fork of this service ${names}: delete one of them, and apply it without spec.fork`,
  });
});

test.each([
  ['a service without a fork', { a: 'b', b: 'c', c: undefined }],
  ['a service that does not exist', { a: 'b', b: 'c' }],
  ['a circle of other services, whose statuses tell it', { a: 'b', b: 'c', c: 'b' }],
])('a fork whose sources end in %s waits for its source', (_, forks) => {
  expect(sourceOfFork(forks, 'a')).toMatchObject({
    state: 'waiting',
    message: 'spec.fork.serviceRef "b" is not created in the cloud yet: its status says why',
  });
});

test.each<[string, Given, string]>([
  [
    'with other credentials',
    { secret: 'theirs', ownSecret: 'ours' },
    'give both the same credentials',
  ],
  ["with the operator's own key", { ownSecret: 'ours' }, 'give both the same credentials'],
  [
    'whose Secret has another key now',
    { secret: 'ours', ownSecret: 'ours' },
    'Secret "ours" needs a key of prj-2',
  ],
  ['of the operator, which has another key now', {}, 'the operator needs a key of prj-2'],
])('a reference to a resource in another project %s waits for a person', (_, given, advice) => {
  expect(referencesTo({ project: 'prj-2', ...given })).toEqual(
    Array.from({ length: 3 }, () => ({
      state: 'blocked',
      message: expect.stringMatching(new RegExp(`prj-2.*: ${advice}$`, 'u')) as unknown,
    })),
  );
});
/** A replica set's reference to service svc-1, which the cloud shows in this state, or not at all. */
async function serviceInState(
  state: string | undefined,
  spec: object | undefined,
  { status, options = defaultOptions, deletionTimestamp }: Left = {},
  namespace = 'shop',
) {
  const clock = systemClock;
  const objects = spec === undefined ? [] : [readyService(spec, status, { deletionTimestamp })];
  const caches = ledgerCache(
    objects,
    objects.map((object) => entryFor(object, recordOf('svc-1'))),
  );
  const services = new Poller({
    operation: 'listServices',
    list: () => Promise.resolve(state === undefined ? [] : [cloudService({ status: state })]),
    idOf: (service: Service) => service.service_id,
    clock,
    random: () => 0,
  });
  const { account } = usableAccount();
  return inState(
    { state: 'found', id: serviceId.parse('svc-1') },
    { states: ['READY'], namespace },
    { ...account, observer: { ...account.observer, services } },
    { caches, claims: claimTable(caches, clock), clock, options },
  );
}

/** The status of a service, and the options of the operator. */
interface Left {
  readonly status?: object | undefined;
  readonly options?: RuleOptions;
  readonly deletionTimestamp?: string;
}

const readyService = (spec: object, status?: object, metadata: object = {}) =>
  managedServices.parse({
    metadata: {
      name: 'orders',
      namespace: 'shop',
      uid: 'orders',
      resourceVersion: '1',
      ...metadata,
    },
    spec,
    status,
  });

/** The status of a PAUSED service whose Synced has this reason. */
const pausedWith = (reason: string, ready: 'True' | 'False' = 'False') => ({
  id: 'svc-1',
  state: 'PAUSED',
  conditions: [
    { type: 'Ready', status: ready, reason: 'Stopped' },
    { type: 'Synced', status: 'False', reason },
  ].map((each) => ({ ...each, message: '', lastTransitionTime: '2026-11-21T12:00:00Z' })),
});

const running = { powerState: 'Running' };
const inHours = { runningHours: ['Mon-Sun 00:00-24:00 UTC'] };
/** A single minute that is two days away at least. */
const outsideHours = {
  runningHours: [
    `${['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][(new Date().getUTCDay() + 3) % 7]} 12:00-12:01 UTC`,
  ],
};
const isSuspended =
  'service svc-1 is PAUSED, and spec.suspend of ManagedService orders is true: set it to false, or start the service in the cloud';
const isOnlyObserved =
  'service svc-1 is PAUSED, and the operator only observes ManagedService orders: start the service in the cloud';

/** Services that the operator does not start, although their specs may ask for that: a person must act. */
const notStarted: readonly (readonly [string, object, Left, string])[] = [
  ['that is suspended', { ...running, suspend: true }, {}, isSuspended],
  ['that is suspended in its running hours', { ...inHours, suspend: true }, {}, isSuspended],
  [
    'that is suspended outside of its running hours, which no wake can start,',
    { ...outsideHours, suspend: true },
    {},
    isSuspended,
  ],
  ['that is only observed', { ...running, managementPolicy: 'Observe' }, {}, isOnlyObserved],
  [
    'that is only observed outside of its running hours, which no wake can start,',
    { ...outsideHours, managementPolicy: 'Observe' },
    {},
    isOnlyObserved,
  ],
  [
    'of an operator that only observes',
    running,
    { options: { ...defaultOptions, managementPolicy: 'Observe' } },
    isOnlyObserved,
  ],
  [
    'that is being deleted outside of its running hours, which no wake can start,',
    outsideHours,
    { deletionTimestamp: '2026-11-21T12:00:00Z' },
    'service svc-1 is PAUSED, and ManagedService orders is being deleted: delete this object, too, or start the service in the cloud',
  ],
  [
    'whose start the cloud refused',
    running,
    { status: pausedWith('Rejected') },
    'service svc-1 is PAUSED, and ManagedService orders is Stalled (Rejected): its status names the next action',
  ],
];

test.each(notStarted)(
  'a reference to a stopped service %s waits for a person',
  async (_, spec, left, message) => {
    expect(await serviceInState('PAUSED', spec, left)).toEqual({
      state: 'blocked',
      message,
      isStopped: true,
    });
  },
);

test.each(['Lost', 'Rejected', 'Suspended'])(
  'a reference to a service that the cloud does not show waits for a person if its object is %s',
  async (reason) => {
    expect(await serviceInState(undefined, running, { status: pausedWith(reason) })).toEqual({
      state: 'blocked',
      message: `service svc-1 is not seen: the status of ManagedService orders (${reason}) names the next action`,
    });
  },
);

test.each([
  ['whose object is about to create it again', running, pausedWith('Creating'), 'shop'],
  ['without an object', undefined, undefined, 'shop'],
  ['of an object in another namespace, which wakes no other', running, pausedWith('Lost'), 'other'],
])(
  'a reference to a service that the cloud does not show, %s, waits for the service',
  async (_, spec, status, namespace) => {
    expect(await serviceInState(undefined, spec, { status }, namespace)).toEqual({
      state: 'waiting',
      message: 'service svc-1 is not seen yet: waiting until it is READY',
    });
  },
);

test.each<[string, object, RegExp]>([
  ['is suspended', { suspend: true }, /spec\.suspend of a ManagedService of another namespace/u],
  [
    'has running hours',
    outsideHours,
    /is PAUSED until \w+ \d\d:00 UTC \(its spec\.runningHours\)$/u,
  ],
])(
  'a reference names no object of another namespace, such as a stopped service that %s',
  async (_, spec, message) => {
    const reference = await serviceInState('PAUSED', spec, {}, 'bank');
    expect(reference).toMatchObject({ message: expect.stringMatching(message) as unknown });
    expect(JSON.stringify(reference)).not.toMatch(/orders|shop/u);
  },
);

describe('a replica set reports the stop of its service:', () => {
  const stopOf = (spec: object, { status, options = defaultOptions, deletionTimestamp }: Left) =>
    stoppedServiceOf(
      serviceId.parse('svc-1'),
      readyService(spec, { ...pausedWith('Stopped'), ...status }, { deletionTimestamp }),
      { clock: systemClock, options },
    );

  test.each(notStarted)('of a service %s', (_, spec, left, message) => {
    expect(stopOf(spec, left)).toEqual({ message, isReady: false });
  });

  test('it is Ready if the service is stopped as its spec asks', () => {
    const status = pausedWith('Stopped', 'True');
    expect(stopOf({ powerState: 'Stopped' }, { status })).toMatchObject({ isReady: true });
  });

  test('a service outside of its running hours names the command that starts it', () => {
    expect(stopOf(outsideHours, {})?.message).toMatch(/managed-db wake msvc\/orders/u);
  });

  test.each<[string, object, object]>([
    ['whose status shows another service', running, { id: 'svc-2' }],
    ['that runs', { powerState: 'Stopped' }, { state: 'READY' }],
    ['that the operator is about to start', running, {}],
    ['that the operator is about to start in its running hours', inHours, {}],
    [
      'that the operator starts again after a refusal for now',
      running,
      pausedWith('WaitingForCloud'),
    ],
  ])('it reports nothing of a service %s', (_, spec, status) => {
    expect(stopOf(spec, { status })).toBeUndefined();
  });
});

const inSpec = 'set spec.powerState of its ManagedService to Running, or ';
test.each([
  ['that its spec stops', { powerState: 'Stopped' }, inSpec],
  ['that its spec leaves stopped', {}, inSpec],
  ['without an object', undefined, ''],
])('a reference to a stopped service %s waits for a person', async (_, spec, advice) => {
  expect(await serviceInState('PAUSED', spec)).toEqual({
    state: 'blocked',
    message: `service svc-1 is PAUSED: ${advice}start it in the cloud`,
    isStopped: true,
  });
});

test('a reference to a service that is stopped outside of its running hours names the next start', async () => {
  const days = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
  const inThreeDays = days[(new Date().getUTCDay() + 3) % 7];
  const spec = { runningHours: [`${inThreeDays} 12:00-13:00 UTC`] };
  expect(await serviceInState('PAUSED', spec)).toEqual({
    state: 'waiting',
    message: `service svc-1 is PAUSED until ${inThreeDays} 12:00 UTC (its spec.runningHours); to start it: managed-db wake msvc/orders -n shop --for 2h`,
    isStopped: true,
  });
});

test.each([
  ['that its running hours start', 'PAUSED', { runningHours: ['Mon-Sun 00:00-24:00 UTC'] }],
  ['that the operator starts', 'PAUSED', { powerState: 'Running' }],
  ['that is not stopped yet', 'PAUSING', { powerState: 'Stopped' }],
  ['that the cloud changes', 'CONFIGURING', {}],
])('a reference to a service %s waits until it is READY', async (_, state, spec) => {
  expect(await serviceInState(state, spec)).toEqual({
    state: 'waiting',
    message: `service svc-1 is ${state}: waiting until it is READY`,
  });
});
