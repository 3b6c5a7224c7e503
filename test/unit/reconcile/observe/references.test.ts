import { expect, test } from 'vitest';
import { Poller } from '../../../../src/cloud/poller.ts';
import { type Service, serviceId } from '../../../../src/cloud/wire/service.ts';
import {
  inState,
  forkSourceIn,
  serviceReference,
  vpcReference,
} from '../../../../src/reconcile/observe/references.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
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
}

const newService = (spec: object) =>
  managedServices.parse({
    metadata: { name: 'new', namespace: 'shop', uid: 'uid of new', resourceVersion: '1' },
    spec,
  });

/** The three references to an object "prod" with this entry: of a service to its VPC, of a replica set to its service, of a fork to its source. */
function referencesTo({ clusterUid = 'here', rival, project = 'prj-1' }: Given) {
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
      spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' },
    });
    const service = managedServices.parse({ metadata, spec: {} });
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
  const fork = newService({ fork: { serviceRef, strategy: 'NOW' } });
  return [
    vpcReference(newService({ vpcRef: { name: 'prod' } }), account, view),
    serviceReference(
      newService({}),
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

test('a reference to a resource in another project waits for a person', () => {
  expect(referencesTo({ project: 'prj-2' })).toEqual(
    Array.from({ length: 3 }, () => ({
      state: 'blocked',
      message: expect.stringMatching(/prj-2.*: give both the same credentials$/u) as unknown,
    })),
  );
});

/** A replica set's reference to service svc-1, which the cloud shows in this state. */
async function serviceInState(state: string, spec: object | undefined) {
  const clock = systemClock;
  const objects = spec === undefined ? [] : [readyService(spec)];
  const caches = ledgerCache(
    objects,
    objects.map((object) => entryFor(object, recordOf('svc-1'))),
  );
  const services = new Poller({
    operation: 'listServices',
    list: () => Promise.resolve([cloudService({ status: state })]),
    idOf: (service: Service) => service.service_id,
    clock,
    random: () => 0,
  });
  const { account } = usableAccount();
  return inState(
    { state: 'found', id: serviceId.parse('svc-1') },
    ['READY'],
    { ...account, observer: { ...account.observer, services } },
    { caches, claims: claimTable(caches, clock), clock },
  );
}

const readyService = (spec: object) =>
  managedServices.parse({
    metadata: { name: 'orders', namespace: 'shop', uid: 'orders', resourceVersion: '1' },
    spec,
  });

test.each([
  ['that its spec stops', { powerState: 'Stopped' }],
  ['that its spec leaves stopped', {}],
  ['without an object', undefined],
])('a reference to a stopped service %s waits for a person', async (_, spec) => {
  expect(await serviceInState('PAUSED', spec)).toEqual({
    state: 'blocked',
    message:
      'service svc-1 is PAUSED: set spec.powerState of its ManagedService to Running, or start it in the cloud',
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
