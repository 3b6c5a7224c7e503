import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { serviceReference, vpcReference } from '../../../src/reconcile/observe/references.ts';
import { claimTable } from '../../../src/reconcile/process/claims.ts';
import { recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import type { RuleOptions } from '../../../src/reconcile/situation/options.ts';
import { annotations } from '../../../src/resources/annotations.ts';
import { managedServices } from '../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../src/resources/managed-vpc.ts';
import { objectCache } from '../../../src/runtime/index.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { handClock } from '../../support/hand-clock.ts';
import { usableAccount } from '../../support/usable-account.ts';

/** A reference counts if the object that it names owns its resource. (docs/safety.md, Owning) */

interface Given {
  readonly record?: ResourceRecord;
  readonly options?: Partial<RuleOptions>;
  /** An object in another namespace that has the same record. */
  readonly original?: string;
  /** The id in its status. */
  readonly shown?: string;
}

const owned: ResourceRecord = { id: 'res-1', projectId: 'prj-1', clusterUid: 'here', objectUid: 'uid of prod', outcome: 'created' };

const newService = (spec: object) =>
  managedServices.parse({ metadata: { name: 'new', namespace: 'shop', uid: 'uid of new', resourceVersion: '1' }, spec });

/** The three references to an object "prod" with this record: of a service to its VPC, of a replica set to its service, of a fork to its source. */
function referencesTo({ record = owned, options, original, shown }: Given) {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  const claims = claimTable(caches.ofAllKinds, handClock());
  const view = { caches, claims, clusterUid: 'here', options: { ...defaultOptions, ...options } };
  const put = (namespace: string, uid: string) => {
    const metadata = { name: 'prod', namespace, uid, resourceVersion: uid, annotations: { [annotations.record]: recordText(record) } };
    const status = shown === undefined ? undefined : { id: shown, projectId: 'prj-1' };
    caches.of('ManagedVpc').wrote(managedVpcs.parse({ metadata, spec: { cidr: '10.0.0.0/16', regionCode: 'eu-central-1' }, status }));
    caches.of('ManagedService').wrote(managedServices.parse({ metadata, spec: {}, status }));
  };
  put('shop', 'uid of prod');
  if (original !== undefined) put('other', original);
  const account = usableAccount();
  const named = { serviceRef: { name: 'prod' } };
  return [
    vpcReference(newService({ vpcRef: { name: 'prod' } }), account, view),
    serviceReference(newService({}), named, 'spec', account, view),
    serviceReference(newService({}), named, 'spec.fork', account, view),
  ];
}

const found = { state: 'found', id: 'res-1' };
const notOwned: unknown = expect.objectContaining({
  state: 'waiting',
  message: expect.stringContaining('"prod" does not own the resource in its record') as unknown,
});

test('what an object of this cluster has made is found by its name', () => {
  expect(referencesTo({})).toEqual([found, found, found]);
});

test.each<[string, Given]>([
  ['was restored into another cluster', { record: { ...owned, clusterUid: 'production', objectUid: 'uid there' } }],
  ['is a copy of another one', { record: { ...owned, objectUid: 'uid of the original' }, original: 'uid of the original' }],
  ['came back from a backup together with its copy', { record: { ...owned, objectUid: 'uid of before' }, original: 'uid of a copy' }],
  [
    'may be a copy from where the operator does not look',
    { record: { ...owned, objectUid: 'uid there' }, options: { seesAllObjects: false } },
  ],
])('nothing is made on the resource of an object that %s, nor attached to it', (_, given) => {
  expect(referencesTo(given)).toEqual([notOwned, notOwned, notOwned]);
});

test.each<[string, Given, object]>([
  ['shows the same', { shown: 'res-1' }, found],
  ['shows the one that was replaced, since it is written later', { record: { ...owned, replaces: 'res-0' }, shown: 'res-0' }, found],
  [
    'shows another one, for somebody put an older record back',
    { shown: 'res-2' },
    { state: 'waiting', message: expect.stringContaining('names one resource in its record and another in its status') as unknown },
  ],
])('the record of an object counts for a reference if its status %s', (_, given, expected) => {
  expect(referencesTo(given)).toMatchObject([expected, expected, expected]);
});
