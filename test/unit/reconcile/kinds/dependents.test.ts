import type { ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import { expect, test } from 'vitest';
import { Poller } from '../../../../src/cloud/poller.ts';
import { type Service, serviceId } from '../../../../src/cloud/wire/service.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { systemClock } from '../../../../src/runtime/index.ts';
import { replicaSets } from '../../../../src/resources/replica-set.ts';
import { serviceDependents } from '../../../../src/reconcile/kinds/service/dependents.ts';
import { replicaSetId } from '../../../../src/cloud/wire/replica-set.ts';
import { cloudService, recordOf } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';
import { vpcDependents } from '../../../../src/reconcile/kinds/vpc/dependents.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import type { RuleOptions } from '../../../../src/reconcile/situation/situation.ts';

const attached = (spec: object, status: object = {}) =>
  managedServices.parse({
    metadata: { name: 'orders', namespace: 'shop', uid: 'u', resourceVersion: '1' },
    spec,
    status,
  });
const made = { id: 'svc-1', vpcAttachment: 'vpc-1' };

/** The dependents of VPC vpc-1, by this list of a single service and its object. */
async function holders(
  shown: Partial<Service>,
  {
    spec = { vpcRef: { name: 'prod' } },
    record = {},
    status = {},
    options = defaultOptions,
    namespace = 'shop',
  }: Known,
) {
  const clock = systemClock;
  const list = () => Promise.resolve([cloudService(shown)]);
  const poller = new Poller({
    operation: 'listServices',
    list,
    idOf: (service) => service.service_id,
    clock,
    random: () => 0,
  });
  const service = attached(spec, { id: 'svc-1', projectId: 'prj-1', ...status });
  const caches = ledgerCache([service], [entryFor(service, recordOf('svc-1', record))]);
  const { account } = usableAccount();
  const object = managedVpcs.parse({
    metadata: { name: 'prod', namespace, uid: 'v', resourceVersion: '1' },
    spec: { regionCode: 'eu-central-1', cidr: '10.0.0.0/16' },
  });
  const usable = { ...account, observer: { ...account.observer, services: poller } };
  const found = await vpcDependents(
    { usable, record: { id: 'vpc-1' }, object },
    { claims: claimTable(caches, clock), caches, clock, options },
    0,
  );
  return found;
}
interface Known {
  readonly spec?: object;
  readonly record?: Partial<ResourceRecord>;
  readonly status?: object;
  readonly options?: RuleOptions;
  /** Of the VPC. */
  readonly namespace?: string;
}

const inVpc = (id: string) => ({ vpcEndpoint: { host: 'h', port: 1, vpc_id: id } });
const strange = { vpcEndpoint: { address: '10.0.3.7' } };
const held = ['svc-1'];

test.each<
  readonly [sentence: string, shown: Partial<Service>, known: Known, holder: readonly string[]]
>([
  ['is shown in the VPC', inVpc('vpc-1'), {}, held],
  ['is shown in a second VPC', inVpc('vpc-2'), {}, []],
  ['is shown in no VPC', {}, {}, []],
  [
    'is moving into the VPC',
    { status: 'CONFIGURING' },
    { record: { vpcAttachment: 'vpc-1' } },
    held,
  ],
  [
    'may be in the VPC by an earlier request, and moves to a second VPC',
    {},
    { spec: { vpcRef: { name: 'new' } }, record: made },
    held,
  ],
  ['is moving into a second VPC', {}, { record: { vpcAttachment: 'vpc-2' } }, []],
  ['was in the VPC according to its status', {}, { status: { vpcId: 'vpc-1' } }, held],
  [
    'was in the VPC according to its status, and is shown in a second VPC',
    inVpc('vpc-2'),
    { status: { vpcId: 'vpc-1' } },
    held,
  ],
  ['was in a second VPC according to its status', {}, { status: { vpcId: 'vpc-2' } }, []],
  ['is attached to an unknown VPC', strange, {}, held],
  [
    'is attached to the VPC according to its record alone',
    strange,
    { record: { vpcAttachment: 'vpc-1' } },
    held,
  ],
  [
    'is attached to a second VPC according to its record alone',
    strange,
    { record: { vpcAttachment: 'vpc-2' } },
    [],
  ],
])(
  'a VPC has exactly the dependents of the table for a service that %s',
  async (_, shown, known, holder) => {
    expect((await holders(shown, known))?.map(({ id }) => id)).toEqual(holder);
  },
);

/** A minute of the week that is more than a day away. */
const shortHours = `${['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'][(new Date().getUTCDay() + 3) % 7]} 12:00-12:01 UTC`;
const takeOut = 'take vpcRef or vpcId out of its spec';
const start = 'set its powerState to Running, since a stopped service keeps its VPC; or delete it';
const inVpcOf = { vpcRef: { name: 'prod' } };
const resume = 'it is suspended: managed-db resume msvc/orders -n shop';
const inCloud = 'the operator only observes it: detach it, or delete it, in the cloud';
const startInCloud =
  'the operator only observes it: start and detach it, or delete it, in the cloud';

test.each([
  [
    'runs',
    'READY',
    { vpcRef: { name: 'prod' } },
    `${takeOut}, or detach it in the cloud, or delete it`,
  ],
  [
    'is stopped',
    'PAUSED',
    { vpcRef: { name: 'prod' }, powerState: 'Stopped' },
    `${takeOut}, and ${start}`,
  ],
  ['is stopped, and no longer names the VPC', 'PAUSED', { powerState: 'Stopped' }, start],
  [
    'is stopped outside of its running hours',
    'PAUSED',
    { runningHours: [shortHours] },
    start.replace(
      'set its powerState to Running',
      'wake it (managed-db wake msvc/orders -n shop --for 2h)',
    ),
  ],
  ['runs, and is suspended', 'READY', { ...inVpcOf, suspend: true }, resume],
  [
    'is suspended outside of its running hours',
    'PAUSED',
    { runningHours: [shortHours], suspend: true },
    resume,
  ],
  ['is stopped and suspended', 'PAUSED', { powerState: 'Stopped', suspend: true }, resume],
  ['runs, and is only observed', 'READY', { ...inVpcOf, managementPolicy: 'Observe' }, inCloud],
  [
    'is only observed outside of its running hours',
    'PAUSED',
    { runningHours: [shortHours], managementPolicy: 'Observe' },
    startInCloud,
  ],
  [
    'is stopped, only observed and suspended',
    'PAUSED',
    { powerState: 'Stopped', managementPolicy: 'Observe', suspend: true },
    startInCloud,
  ],
])(
  'a VPC that waits for a service that %s names the action that detaches it',
  async (_, status, spec, remedy) => {
    const found = await holders({ ...inVpc('vpc-1'), status }, { spec, record: made });
    expect(found?.map((each) => each.remedy)).toEqual([remedy]);
  },
);

test('a VPC that waits for a service of an operator that only observes names the cloud', async () => {
  const options = { ...defaultOptions, managementPolicy: 'Observe' } as const;
  const found = await holders({ ...inVpc('vpc-1'), status: 'READY' }, { record: made, options });
  expect(found?.map((each) => each.remedy)).toEqual([inCloud]);
});

test.each([
  ['is stopped', { runningHours: [shortHours] }],
  ['is suspended', { suspend: true }],
])(
  'a VPC that waits for a service of another namespace, which %s, names no object there',
  async (_, spec) => {
    const shown = { ...inVpc('vpc-1'), status: 'PAUSED' };
    const found = await holders(shown, { spec, record: made, namespace: 'bank' });
    expect(found?.map((each) => each.remedy)).toEqual([
      'ask the owner of its namespace to detach or delete it',
    ]);
  },
);

test('a VPC that waits for a detach that a rule holds names the command that explains it', async () => {
  const since = '2026-11-21T12:00:00.000Z';
  const detach = { operation: 'detachServiceFromVpc', change: 'vpc-1 -> none', waitsFor: 'Window' };
  const status = { heldChanges: [{ ...detach, since }] };
  const found = await holders({ ...inVpc('vpc-1'), status: 'READY' }, { record: made, status });
  expect(found?.map((each) => each.remedy)).toEqual([
    'its detach waits for a window or an approval: managed-db why msvc/orders -n shop',
  ]);
});

test.each([
  ['that the cloud shows', ['rs-1'], ['rs-1']],
  ['that the cloud does not show', [], ['']],
  ['beside another replica set of the cloud', ['rs-1', 'rs-2'], ['rs-1', 'rs-2']],
])(
  'a service has a replica set %s as a dependent once, as long as the object of the replica set exists',
  async (_, shown, ids) => {
    const clock = systemClock;
    const common = { clock, random: () => 0 };
    const services = new Poller({
      ...common,
      operation: 'listServices',
      list: () => Promise.resolve([cloudService({})]),
      idOf: (service: Service) => service.service_id,
    });
    const sets = new Poller({
      ...common,
      operation: 'listReplicaSets',
      list: () => Promise.resolve(shown.map((id) => ({ id: replicaSetId.parse(id) }))),
      idOf: ({ id }) => id,
    });
    const object = replicaSets.parse({
      metadata: { name: 'reads', namespace: 'shop', uid: 'reads', resourceVersion: '1' },
      spec: { serviceRef: { name: 'orders' }, nodes: 1, cpuMillis: 1000, memoryGbs: 4 },
    });
    const caches = ledgerCache(
      [object],
      [entryFor(object, recordOf('rs-1', { parentServiceId: 'svc-1' }))],
    );
    const { account } = usableAccount();
    const usable = {
      ...account,
      observer: { ...account.observer, services, replicaSets: () => sets },
    };
    const observed = { usable, record: { id: 'svc-1', projectId: 'prj-1' } } as const;
    const found = await serviceDependents(
      observed,
      false,
      { claims: claimTable(caches, clock), caches },
      0,
    );
    expect(found?.map(({ id }) => id)).toEqual(ids);
  },
);

const unread = (...fields: string[]) => ({
  unreadable: { fields, first: `${fields[0]} of svc-2: expected string` },
});

test.each<readonly [sentence: string, shown: Partial<Service>, forks: readonly string[]]>([
  [
    'whose origin cannot be read, and that is not READY yet',
    { status: 'QUEUED', ...unread('forked_from') },
    ['svc-2'],
  ],
  [
    'whose origin and state cannot be read',
    { status: undefined, ...unread('status', 'forked_from') },
    ['svc-2'],
  ],
  [
    'whose origin cannot be read, and that is READY',
    { status: 'READY', ...unread('forked_from') },
    [],
  ],
  ['whose state cannot be read', { status: undefined, ...unread('status') }, []],
  [
    'that is a fork, and whose state cannot be read',
    {
      status: undefined,
      forked_from: { service_id: serviceId.parse('svc-1') },
      ...unread('status'),
    },
    ['svc-2'],
  ],
])(
  'a service without an object %s, holds other services exactly if it may be their unfinished fork',
  async (_, shown, forks) => {
    const clock = systemClock;
    const common = { clock, random: () => 0 };
    const services = new Poller({
      ...common,
      operation: 'listServices',
      list: () =>
        Promise.resolve([
          cloudService({}),
          cloudService({ service_id: serviceId.parse('svc-2'), ...shown }),
        ]),
      idOf: (service: Service) => service.service_id,
    });
    const sets = new Poller({
      ...common,
      operation: 'listReplicaSets',
      list: () => Promise.resolve([]),
      idOf: () => '',
    });
    const caches = ledgerCache([], []);
    const { account } = usableAccount();
    const usable = {
      ...account,
      observer: { ...account.observer, services, replicaSets: () => sets },
    };
    const observed = { usable, record: { id: 'svc-1', projectId: 'prj-1' } } as const;
    const found = await serviceDependents(
      observed,
      false,
      { claims: claimTable(caches, clock), caches },
      0,
    );
    expect(found?.map(({ id }) => id)).toEqual(forks);
  },
);
