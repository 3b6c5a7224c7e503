import { expect, test } from 'vitest';
import { serviceId } from '../../../src/cloud/wire/service.ts';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { adopt } from '../../../src/reconcile/act/adopt.ts';
import { remove } from '../../../src/reconcile/act/delete.ts';
import { claimTable } from '../../../src/reconcile/process/claims.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { recordText, type ResourceRecord } from '../../../src/reconcile/record/record.ts';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { objectCache, type KubernetesClient, type KubernetesObject } from '../../../src/runtime/index.ts';
import { handClock } from '../../support/hand-clock.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';
import { usableAccount } from '../../support/usable-account.ts';

/** What other shards wrote, and no event has told of yet: only live lists show it. (docs/safety.md, Several processes act) */

let version = 10;

function serviceWith(name: string, record: ResourceRecord) {
  version += 1;
  const metadata = { name, uid: name, resourceVersion: String(version), finalizers: [cloudResourceFinalizer] };
  return serviceObject({ [annotations.record]: recordText(record) }, {}, { metadata });
}

/** Caches that get an object when they are compared with live lists for the nth time. */
function shardThatSees(late: ReturnType<typeof serviceObject>, atComparison: number) {
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'ledger');
  const said: string[] = [];
  const object = serviceWith('orders', recordOf('svc-1'));
  caches.of('ManagedService').wrote(object);
  const kubernetes: Pick<KubernetesClient, 'get' | 'patch'> = {
    get: (type) => Promise.resolve(type.parse(object)),
    patch(type, _key, body) {
      said.push('written');
      const texts: object = { ...object.metadata.annotations, ...bodyOf(body) };
      version += 1;
      return Promise.resolve(
        type.parse({ ...object, metadata: { ...object.metadata, annotations: texts, resourceVersion: String(version) } }),
      );
    },
  };
  const isOurs = (each: KubernetesObject | undefined) => each?.metadata.name === object.metadata.name;
  let comparisons = 0;
  const shard = {
    lookMs: 10_000,
    isOurs,
    catchUp() {
      comparisons += 1;
      said.push('compared');
      if (comparisons === atComparison) caches.of('ManagedService').wrote(late);
      return Promise.resolve();
    },
  };
  const clock = handClock();
  const claims = claimTable(caches.ofAllKinds, clock, (each) => !isOurs(each));
  return { object, said, context: { caches, claims, clock, memory: memory(), kubernetes, leadership: { held: true }, shard } };
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
  return { sent, account: { ...account, project } };
}

function bodyOf(body: unknown): object {
  const metadata = body instanceof Object && 'metadata' in body ? body.metadata : {};
  const written = metadata instanceof Object && 'annotations' in metadata ? metadata.annotations : {};
  return written instanceof Object ? Object.fromEntries(Object.entries(written).filter(([, text]) => text !== null)) : {};
}

const claim = recordOf('svc-2', { claimedAt: '2026-01-01T00:00:00.000Z' });
const action = { type: 'adopt', id: 'svc-2', record: recordOf('svc-2') } as const;

test.each([
  ['before', 1, ['compared'], 'conflict'],
  ['while it claims', 2, ['compared', 'written', 'compared'], 'conflict'],
  ['later', 3, ['compared', 'written', 'compared'], 'done'],
])('who adopts what another shard has claimed %s yields, if it can know of that', async (_, atComparison, words, outcome) => {
  const { object, said, context } = shardThatSees(serviceWith('theirs', { ...claim, objectUid: 'theirs' }), atComparison);
  expect(await adopt(action, object, context)).toMatchObject({ type: outcome });
  expect(said).toEqual(words);
});

test.each([
  [
    'that another shard has forked is not deleted before the fork was READY',
    recordOf('svc-7', { forkSourceId: 'svc-1', createdBy: 'a1' }),
    false,
  ],
  ['of which another one is forked is deleted', recordOf('svc-7', { forkSourceId: 'svc-9', createdBy: 'a1' }), true],
])('a service %s, whose create has its answer', async (_, copy, isSent) => {
  const { object, context } = shardThatSees(serviceWith('copy', copy), 1);
  const { sent, account } = deletingAccount();
  const id = serviceId.parse('svc-1');
  const rest = { record: undefined, inVain: undefined, isUnshown: false, isCalledDeleted: false };
  await remove({ type: 'delete', id, operation: 'deleteService', args: [id], ...rest }, object, account, context);
  expect(sent.includes(true)).toBe(isSent);
});

test.each([
  ['that another shard has begun a fork of is not deleted', 'svc-1', false],
  ['of which another one is forked is deleted', 'svc-9', true],
])('a service %s', async (_, sourceId, isSent) => {
  const attempt = { id: 'a1', at: '2026-11-21T12:00:00.000Z', request: { sourceId, name: 'copy' }, sameNameIds: [] };
  const { object, said, context } = shardThatSees(serviceWith('copy', { attempt, projectId: 'prj-1' }), 1);
  const { sent, account } = deletingAccount();
  await remove(
    {
      type: 'delete',
      id: 'svc-1',
      operation: 'deleteService',
      args: [serviceId.parse('svc-1')],
      record: undefined,
      inVain: undefined,
      isUnshown: false,
      isCalledDeleted: false,
    },
    object,
    account,
    context,
  );
  expect([said, sent]).toEqual([['compared'], [isSent]]);
});
