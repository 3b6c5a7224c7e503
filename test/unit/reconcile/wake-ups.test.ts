import { describe, expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { wireWakeUps } from '../../../src/reconcile/process/wake-ups.ts';
import type { ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { connectionAnnotations } from '../../../src/resources/connection-secret.ts';
import { kinds, resourceTypes, type Kind, type ManagedObject } from '../../../src/resources/managed-object.ts';
import { objectCache } from '../../../src/runtime/index.ts';

interface Given {
  readonly namespace?: string;
  readonly spec?: object;
  readonly status?: object;
  readonly record?: ResourceRecord;
}

function object(kind: Kind, name: string, { namespace = 'shop', spec = {}, status, record }: Given, version = 1): ManagedObject {
  const texts = record ? { [annotations.record]: JSON.stringify(record) } : {};
  const uid = `${kind}/${namespace}/${name}`;
  const metadata = { name, namespace, uid, resourceVersion: `${version}`, generation: version, annotations: texts };
  return resourceTypes[kind].parse({ metadata, spec: { ...spec, name: `v${version}` }, status });
}

/** Whom a change of the first object wakes, and whom a change of its Secret, when the second is there, too. */
function woken([kind, name, given]: Thing, other: Thing): readonly (readonly string[])[] {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  const heard = new Set<string>();
  wireWakeUps(caches, (each, key) => heard.add(`${each}/${key}`));
  const write = (each: ManagedObject) => caches.ofAllKinds[kinds.indexOf(each.kind)]?.wrote(each);
  const since = (act: () => void) => {
    heard.clear();
    act();
    return [...heard];
  };
  write(object(...other));
  write(object(kind, name, given));
  const ofObject = since(() => write(object(kind, name, given, 2)));
  const owner = { [connectionAnnotations.owner]: `${kind}/${name}` };
  const metadata = { name: `${name}-db`, namespace: given.namespace ?? 'shop', uid: 's', resourceVersion: '1', annotations: owner };
  return [ofObject, since(() => caches.connectionSecrets.wrote({ metadata }))];
}

type Thing = readonly [kind: Kind, name: string, given: Given];
const orders = ['ManagedService', 'orders', { record: { id: 'svc-1' } }] as const;
const prod = ['ManagedVpc', 'prod', { record: { id: 'vpc-1' } }] as const;
const reads = (given: Given): Thing => ['ReplicaSet', 'reads', given];
const shop = (given: Given): Thing => ['ManagedService', 'shop', given];

describe('a change of an object, or of its Secret, wakes', () => {
  test.each<readonly [sentence: string, changed: Thing, other: Thing]>([
    ['a replica set that names the service', orders, reads({ spec: { serviceRef: { name: 'orders' } } })],
    ['a replica set that names the service by its id', orders, reads({ spec: { serviceId: 'svc-1' } })],
    [
      'a replica set that was made on the service, though its spec names an object that is not there any more',
      orders,
      reads({ spec: { serviceRef: { name: 'before' } }, record: { id: 'rs-1', parentServiceId: 'svc-1' } }),
    ],
    [
      'a replica set of which only status knows the service',
      orders,
      reads({ spec: { serviceRef: { name: 'before' } }, status: { serviceId: 'svc-1' } }),
    ],
    [
      'a replica set of a service of which only status knows the id',
      ['ManagedService', 'orders', { status: { id: 'svc-1' } }],
      reads({ spec: { serviceId: 'svc-1' } }),
    ],
    ['a fork of the service', orders, shop({ spec: { fork: { strategy: 'NOW', serviceRef: { name: 'orders' } } } })],
    ['a fork of the service that names it by its id', orders, shop({ spec: { fork: { strategy: 'NOW', serviceId: 'svc-1' } } })],
    ['a fork that was made of the service', orders, shop({ record: { id: 'svc-2', forkSourceId: 'svc-1' } })],
    [
      'a fork of which only status knows the source',
      orders,
      shop({ status: { id: 'svc-2', service: { forkedFrom: { serviceId: 'svc-1' } } } }),
    ],
    ['a service that names the VPC', prod, shop({ spec: { vpcRef: { name: 'prod' } } })],
    ['a service that names the VPC by its id', prod, shop({ spec: { vpcId: 'vpc-1' } })],
    ['a service that is attached to the VPC', prod, shop({ record: { id: 'svc-2', vpcAttachment: 'vpc-1' } })],
    ['a service of which only status knows the VPC', prod, shop({ status: { id: 'svc-2', vpcId: 'vpc-1', vpcManaged: true } })],
  ])('%s, and the other way round', (_, changed, other) => {
    const [[kind, name], [otherKind, otherName]] = [changed, other];
    expect(woken(changed, other)).toEqual([[`${otherKind}/shop/${otherName}`], [`${otherKind}/shop/${otherName}`]]);
    expect(woken(other, changed)[0]).toEqual([`${kind}/shop/${name}`]);
  });
});

describe('a change of an object, or of its Secret, does not wake', () => {
  test.each<readonly [sentence: string, changed: Thing, other: Thing]>([
    ['a replica set of another service', orders, reads({ spec: { serviceId: 'svc-2' } })],
    ['a replica set in another namespace', orders, reads({ namespace: 'other', spec: { serviceId: 'svc-1' } })],
    [
      'a replica set that names a service of its own namespace',
      orders,
      reads({ namespace: 'other', spec: { serviceRef: { name: 'orders' } } }),
    ],
    [
      'a resource of another kind with the same id',
      ['ManagedVpc', 'prod', { record: { id: 'svc-1' } }],
      reads({ spec: { serviceId: 'svc-1' } }),
    ],
    ['what has no id', ['ManagedService', 'orders', {}], reads({})],
  ])('%s', (_, changed, other) => {
    expect([...woken(changed, other), woken(other, changed)[0]]).toEqual([[], [], []]);
  });
});

describe('a VPC is woken when', () => {
  const at = { id: 'svc-2', vpcId: 'vpc-1' };
  test.each<readonly [sentence: string, before: Given, after: Given]>([
    [
      'the record of a service says no more that it is attached',
      { record: { id: 'svc-2', vpcAttachment: 'vpc-1' } },
      { record: { id: 'svc-2' } },
    ],
    ['a service is shown in it no more', { status: at }, { status: { id: 'svc-2' } }],
    ['a service names it no more', { spec: { vpcId: 'vpc-1' } }, {}],
  ])('%s', (_, before, after) => {
    const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
    const heard = new Set<string>();
    wireWakeUps(caches, (each, key) => heard.add(`${each}/${key}`));
    const write = (each: ManagedObject) => caches.ofAllKinds[kinds.indexOf(each.kind)]?.wrote(each);
    write(object(...prod));
    write(object('ManagedService', 'shop', before));
    heard.clear();
    const second = object('ManagedService', 'shop', after);
    write({ ...second, metadata: { ...second.metadata, resourceVersion: '2' } });
    expect([...heard]).toEqual(['ManagedVpc/shop/prod']);
  });
});
