import { expect, test } from 'vitest';
import { operatorCaches } from '../../../src/operator/caches.ts';
import { claimTable } from '../../../src/reconcile/process/claims.ts';
import { memory } from '../../../src/reconcile/process/memory.ts';
import { recordText } from '../../../src/reconcile/record/record.ts';
import { reportAbandoned } from '../../../src/reconcile/report/report-abandoned.ts';
import { annotations, cloudResourceFinalizer } from '../../../src/resources/annotations.ts';
import { isLetGo, objectCache, type Shard } from '../../../src/runtime/index.ts';
import { defaultOptions } from '../../support/default-options.ts';
import { handClock } from '../../support/hand-clock.ts';
import { recordOf, serviceObject } from '../../support/situation.ts';

/** What is told of an object that goes, or that goes on being held by somebody else, without the operator's finalizer. */

const ignore = () => undefined;
const deletionTimestamp = '2026-11-21T12:00:00Z';
const there = (record: object, metadata: object) =>
  serviceObject({ [annotations.record]: recordText({ ...recordOf('svc-1'), clusterUid: 'cluster', ...record }) }, {}, { metadata });

function told(record: object, metadata: object, isGone: boolean, shard?: Pick<Shard, 'isAnothers'>) {
  const caches = operatorCaches(
    { cache: () => objectCache([undefined], undefined, (object) => isLetGo(object, cloudResourceFinalizer)) },
    'ledger',
  );
  const [messages, counted]: [string[], string[]] = [[], []];
  const object = there(record, metadata);
  caches.of('ManagedService').wrote(object);
  reportAbandoned(
    {
      caches,
      claims: claimTable(caches.ofAllKinds, handClock()),
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

test.each<[sentence: string, record: object, metadata: object, isGone: boolean, words: readonly string[]]>([
  ['goes while this process works: a person did it', {}, ours, true, [`removed by hand, ${stays}`]],
  ['was held before: nobody noted whose doing it was', {}, held, false, [`removed by hand, or by an earlier build of it, ${stays}`]],
  ['was held before, and the operator noted that it let it go', { released: 'uid' }, held, false, []],
  [
    'was held before, with a note about an earlier object of its name',
    { released: 'before' },
    held,
    false,
    [`or by an earlier build of it, ${stays}`],
  ],
])('an object %s', (_, record, metadata, isGone, words) => {
  const { messages, counted } = told(record, metadata, isGone);
  expect([messages.length, counted.length]).toEqual([words.length, words.length]);
  for (const [index, message] of messages.entries()) expect(message).toContain(words[index]);
});

test.each([
  ["tells of what is its own, or nobody's at that moment", false, 1],
  ["leaves it to another one to tell of what is that one's", true, 0],
])('of several processes, one %s', (_, isAnothers, times) => {
  expect(told({}, ours, true, { isAnothers: () => isAnothers }).messages).toHaveLength(times);
});

test("of several processes, each tells at its start of what is another one's, too: that one may be gone for good", () => {
  expect(told({}, held, false, { isAnothers: () => true }).messages).toHaveLength(1);
});
