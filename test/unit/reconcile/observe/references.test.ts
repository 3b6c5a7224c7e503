import { expect, test } from 'vitest';
import { serviceReference, vpcReference } from '../../../../src/reconcile/observe/references.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { managedServices } from '../../../../src/resources/managed-service.ts';
import { managedVpcs } from '../../../../src/resources/managed-vpc.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { usableAccount } from '../../../support/usable-account.ts';

/** A reference counts if the object that it names owns its resource. (docs/safety.md, Owning) */

interface Given {
  /** The cluster of the ledger entry. */
  readonly clusterUid?: string;
  /** The uid of another living object with the same resource. */
  readonly rival?: string;
}

const newService = (spec: object) =>
  managedServices.parse({
    metadata: { name: 'new', namespace: 'shop', uid: 'uid of new', resourceVersion: '1' },
    spec,
  });

/** The three references to an object "prod" with this entry: of a service to its VPC, of a replica set to its service, of a fork to its source. */
function referencesTo({ clusterUid = 'here', rival }: Given) {
  const caches = ledgerCache();
  const claims = claimTable(caches, handClock());
  const view = { caches, claims, clusterUid: 'here', options: defaultOptions };
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
        entryFor(object, { id: 'res-1', projectId: 'prj-1', outcome: 'created', clusterUid }),
      );
  };
  put('shop', 'uid-of-prod');
  if (rival !== undefined) put('other', rival);
  const account = usableAccount();
  const named = { serviceRef: { name: 'prod' } };
  return [
    vpcReference(newService({ vpcRef: { name: 'prod' } }), account, view),
    serviceReference(newService({}), named, 'spec', account, view),
    serviceReference(newService({}), named, 'spec.fork', account, view),
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
