import type { ResourceRecord } from '../../../../src/resources/ledger-entry.ts';
import { expect, test } from 'vitest';
import { serviceId } from '../../../../src/cloud/wire/service.ts';
import { remove } from '../../../../src/reconcile/act/delete.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { memory } from '../../../../src/reconcile/wiring/memory.ts';
import { cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import type { KubernetesObject } from '../../../../src/runtime/index.ts';
import { ledgerCache } from '../../../support/ledger-cache.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { secretsInMemory } from '../../../support/secrets-in-memory.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { cloudService, recordOf, serviceObject } from '../../../support/situation.ts';
import { usableAccount } from '../../../support/usable-account.ts';

/**
 * Writes of other shards that no event has reported yet: only live lists show them. (docs/safety.md, Several
 * processes act)
 */

let version = 10;

function serviceNamed(name: string) {
  version += 1;
  return serviceObject(
    {},
    {},
    {
      metadata: {
        name,
        uid: name,
        resourceVersion: String(version),
        finalizers: [cloudResourceFinalizer],
      },
    },
  );
}

/** Caches that get an object with this record when they are compared with live lists. */
function shardThatSees(late: ResourceRecord) {
  const said: string[] = [];
  const object = serviceNamed('orders');
  const caches = ledgerCache([object], [entryFor(object, recordOf('svc-1'))]);
  const { kubernetes } = secretsInMemory([object]);
  const isOurs = (each: KubernetesObject | undefined) =>
    each?.metadata.name === object.metadata.name;
  const shard = {
    lookMs: 10_000,
    isOurs,
    catchUp() {
      said.push('compared');
      const copy = serviceNamed('copy');
      caches.of('ManagedService').wrote(copy);
      caches.ledger.entries.wrote(entryFor(copy, late));
      return Promise.resolve();
    },
  };
  const clock = handClock();
  const claims = claimTable(caches, clock);
  return {
    object,
    said,
    context: {
      caches,
      claims,
      clock,
      memory: memory(),
      evidence: evidence(),
      kubernetes,
      leadership: { held: true },
      shard,
      clusterUid: 'cluster',
    },
  };
}

/** An account whose deletions say whether they might be sent. */
function deletingAccount() {
  const { account } = usableAccount();
  const sent: boolean[] = [];
  const project = {
    ...account.project,
    deleteService: (_id: unknown, { mayBeSent }: { readonly mayBeSent?: () => boolean } = {}) => {
      sent.push(mayBeSent?.() === true);
      return Promise.resolve();
    },
  };
  const shown = new Map([['svc-ready', cloudService({ status: 'READY' })]]);
  const services = {
    latest: { items: shown },
    acceptRemoval: () => undefined,
    denyRemoval: () => undefined,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that a DELETE uses
  return { sent, account: { ...account, project, observer: { services } as never } };
}

const forking = (sourceId: string): ResourceRecord => ({
  attempt: {
    id: 'a1',
    at: '2026-11-21T12:00:00.000Z',
    request: { sourceId, name: 'copy' },
    sameNameIds: [],
  },
  projectId: 'prj-1',
});

test.each<[string, ResourceRecord, boolean]>([
  ['that a second shard is forking is not deleted', forking('svc-1'), false],
  [
    'that a second shard has forked is not deleted before the fork was READY',
    recordOf('svc-7', { forkSourceId: 'svc-1' }),
    false,
  ],
  [
    'is deleted after a second shard forked it and a list showed the fork as READY',
    recordOf('svc-ready', { forkSourceId: 'svc-1' }),
    true,
  ],
  ['is deleted while a second shard forks a different service', forking('svc-9'), true],
  [
    'is deleted after a second shard forked a different service',
    recordOf('svc-7', { forkSourceId: 'svc-9' }),
    true,
  ],
])('a service %s', async (_, late, isSent) => {
  const { object, said, context } = shardThatSees(late);
  const { sent, account } = deletingAccount();
  const id = serviceId.parse('svc-1');
  const rest = { record: undefined, inVain: undefined, isUnshown: false };
  await remove(
    { type: 'delete', id, operation: 'deleteService', args: [id], ...rest },
    object,
    account,
    context,
  );
  expect([said, sent]).toEqual([['compared'], [isSent]]);
});
