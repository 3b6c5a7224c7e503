import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { claimTable } from '../../../src/reconcile/process/claims.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { reportAbandoned } from '../../../src/reconcile/report/report-abandoned.ts';
import { cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { isLetGo, objectCache, type Shard } from '../../../src/runtime/index.ts';
import { entryFor } from '../../support/ledger-entry.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { handClock } from '../../support/hand-clock.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';

/** What is told of an object that goes, or that goes on being held by somebody else, without the operator's finalizer. */

const ignore = () => undefined;
const deletionTimestamp = '2026-11-21T12:00:00Z';

function told(metadata: object, isGone: boolean, shard?: Pick<Shard, 'isAnothers'>) {
  const caches = operatorCaches(
    { cache: () => objectCache([undefined], undefined, (object) => isLetGo(object, cloudResourceFinalizer)) },
    'managed-db-ledger',
  );
  const [messages, counted]: [string[], string[]] = [[], []];
  const object = serviceObject({}, {}, { metadata });
  caches.ledger.entries.wrote(entryFor(object, recordOf('svc-1')));
  caches.of('ManagedService').wrote(object);
  reportAbandoned(
    {
      caches,
      claims: claimTable(caches, handClock()),
      clusterUid: 'cluster',
      events: { record: (_object, { message }) => void messages.push(message), flush: () => Promise.resolve() },
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      memory: memory(),
      options: defaultOptions,
      ...(shard ? { shard } : {}),
    },
    (kind) => counted.push(kind),
  );
  if (isGone) caches.of('ManagedService').remove(object);
  return { messages, counted };
}

const stays = 'and svc-1 in project prj-1 may still be in the cloud, and paid for;';
const held = { deletionTimestamp, finalizers: ['example.com/hook'] };
const ours = { finalizers: [cloudResourceFinalizer] };

test.each<[sentence: string, metadata: object, isGone: boolean]>([
  ['goes while this process works', ours, true],
  ['goes on being held by somebody else since before', held, false],
])('an object without the finalizer of the operator that %s is reported', (_, metadata, isGone) => {
  const { messages, counted } = told(metadata, isGone);
  expect([messages.length, counted.length]).toEqual([1, 1]);
  expect(messages[0]).toContain(`removed by hand, ${stays}`);
});

test.each([
  ["tells of what is its own, or nobody's at that moment", false, 1],
  ["leaves it to another one to tell of what is that one's", true, 0],
])('of several processes, one %s', (_, isAnothers, times) => {
  expect(told(ours, true, { isAnothers: () => isAnothers }).messages).toHaveLength(times);
});

test("of several processes, each tells at its start of what is another one's, too: that one may be gone for good", () => {
  expect(told(held, false, { isAnothers: () => true }).messages).toHaveLength(1);
});
