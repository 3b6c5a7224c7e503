import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import { attemptName } from '../../../../src/reconcile/ledger/attempt.ts';
import { claimTable } from '../../../../src/reconcile/wiring/claims.ts';
import { rememberLostEntries } from '../../../../src/reconcile/wiring/lost-entries.ts';
import { evidence } from '../../../../src/reconcile/wiring/evidence.ts';
import { reportAbandoned } from '../../../../src/reconcile/report/report-abandoned.ts';
import { cloudResourceFinalizer } from '../../../../src/resources/annotations.ts';
import type { EntryContent } from '../../../../src/resources/ledger-entry.ts';
import { objectCache } from '../../../../src/runtime/index.ts';
import { entryFor } from '../../../support/ledger-entry.ts';
import { defaultOptions } from '../../../support/default-options.ts';
import { handClock } from '../../../support/hand-clock.ts';
import { ownAttempt, recordOf, serviceObject } from '../../../support/situation.ts';

/** Reports about an object that disappears while the process runs. */

const ignore = () => undefined;
const deletionTimestamp = '2026-11-21T12:00:00Z';

interface Given {
  readonly entry?: Partial<EntryContent>;
  /** The entry is being deleted. */
  readonly isEntryLeaving?: true;
  readonly policy?: object;
  /** This process released the object. */
  readonly isReleased?: true;
  readonly isAnothers?: boolean;
  /** The object is being deleted. */
  readonly isLeaving?: true;
  /** Another client removes the entry by force. */
  readonly isEntryLost?: true;
}

/** The messages about an object that disappears. */
function told(given: Given = {}) {
  const { caches, object, messages, counted } = reporting(given);
  caches.of('ManagedService').remove(object);
  return { messages, counted };
}

/** A process that reports, with an object and its entry. */
function reporting({
  entry = {},
  isEntryLeaving,
  policy = {},
  isReleased,
  isAnothers,
  isLeaving,
  isEntryLost,
}: Given) {
  const facts = evidence();
  const caches = operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger');
  const [messages, counted]: [string[], string[]] = [[], []];
  const finalizers = [cloudResourceFinalizer];
  const object = serviceObject({}, policy, {
    metadata: { finalizers, ...(isLeaving ? { deletionTimestamp } : {}) },
  });
  if (isReleased) facts.noteReleased(object);
  const leaving = isEntryLeaving ? { deletionTimestamp } : {};
  let version = 1;
  /** Writes the entry. Its event comes with the reply, or before it. */
  const writeEntry = (given: Partial<EntryContent>, isEventFirst = false) => {
    version += 1;
    const { metadata, content } = entryFor(object, { ...recordOf('svc-1'), ...given });
    const written = {
      metadata: { ...metadata, ...leaving, resourceVersion: `${version}` },
      content,
    };
    if (content) caches.ledger.expects(metadata.name, content);
    // With another object as its base, the change does not count as own.
    if (isEventFirst) caches.ledger.entries.wrote(written, object);
    caches.ledger.entries.wrote(written);
  };
  writeEntry(entry);
  caches.of('ManagedService').wrote(object);
  rememberLostEntries({ caches, clusterUid: 'cluster', evidence: facts });
  const [written] = caches.ledger.entries.values();
  if (isEntryLost && written) caches.ledger.entries.remove(written);
  reportAbandoned(
    {
      caches,
      claims: claimTable(caches, handClock()),
      clusterUid: 'cluster',
      events: {
        record: (_object, { message }) => void messages.push(message),
        flush: () => Promise.resolve(),
      },
      log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
      evidence: facts,
      options: defaultOptions,
      shard: isAnothers === undefined ? undefined : { isAnothers: () => isAnothers },
    },
    (kind) => counted.push(kind),
  );
  return { caches, object, writeEntry, messages, counted };
}

const stays = 'svc-1 in project prj-1 may still cost money; delete it there';

test('an object that the previous leader released is not reported', () => {
  const decided = { deletionStarted: { id: 'svc-1' } };
  expect(told({ entry: decided, isEntryLeaving: true }).messages).toEqual([]);
  expect(told({ entry: decided }).messages).toEqual([expect.stringContaining(stays)]);
});

test('an object that disappears without the operator is reported', () => {
  const { messages, counted } = told();
  expect([messages.length, counted.length]).toEqual([1, 1]);
  expect(messages[0]).toContain(`is gone without its deletion in the cloud: ${stays}`);
});

test('an object with Retain that disappears without the operator is reported as retained, with its resource', () => {
  const { messages, counted } = told({ policy: { deletionPolicy: 'Retain' } });
  expect(counted).toEqual([]);
  expect(messages).toEqual([
    'svc-1 in project prj-1 stays in the cloud; annotate an object with managed-db.io/external-id=svc-1 to manage it again',
  ]);
});

const answered = { id: 'svc-1', outcome: 'created' as const };

test('an id whose event comes before the reply of the write is reported', () => {
  const { caches, object, writeEntry, messages } = reporting({
    entry: { id: undefined, outcome: undefined, attempt: ownAttempt },
  });
  caches.of('ManagedService').remove(object);
  writeEntry(answered, true);
  expect(messages).toEqual([expect.stringContaining(stays)]);
});

test.each<[sentence: string, isGone: boolean, times: number]>([
  ['is reported if the object is gone by then', true, 1],
  ['is not reported while the object is there', false, 0],
])('an id that is recorded by the answer to a create %s', (_, isGone, times) => {
  const world = reporting({ entry: { id: undefined, outcome: undefined, attempt: ownAttempt } });
  if (isGone) world.caches.of('ManagedService').remove(world.object);
  expect(world.messages).toEqual([]);
  world.writeEntry(answered);
  expect([world.messages.length, world.counted.length]).toEqual([times, times]);
  world.writeEntry({ ...answered, passwordNumber: 2 });
  expect(world.messages).toEqual(Array(times).fill(expect.stringContaining(stays)));
});

test('an object that disappears after another client removed its entry by force is reported with the id of that entry', () => {
  const { caches, object, messages } = reporting({ isLeaving: true, isEntryLost: true });
  expect(messages).toEqual([]);
  caches.of('ManagedService').remove(object);
  expect(messages).toEqual([expect.stringContaining(stays)]);
});

test.each<[sentence: string, isLeaving: true | undefined]>([
  ['disappears', undefined],
  ['was being deleted, and disappears', true],
])(
  'an object that %s after another client removed the entry of its open create by force is reported with the name of the create',
  (_, isLeaving) => {
    const { caches, object, messages, counted } = reporting({
      ...(isLeaving ? { isLeaving } : {}),
      isEntryLost: true,
      entry: { id: undefined, outcome: undefined, attempt: ownAttempt },
    });
    caches.of('ManagedService').remove(object);
    expect(messages).toEqual([
      `ManagedService/orders is gone, and its create of "${attemptName(ownAttempt)}" in project prj-1 has no answer: look for it in the cloud, where it may cost money`,
    ]);
    expect(counted).toEqual(['ManagedService']);
  },
);

test('an object that was released after another client removed its entry by force is not reported again', () => {
  const { caches, object, messages } = reporting({
    isLeaving: true,
    isEntryLost: true,
    isReleased: true,
  });
  caches.of('ManagedService').remove(object);
  expect(messages).toEqual([]);
});

test.each<[sentence: string, given: Given]>([
  ['that the process itself released', { isReleased: true }],
  [
    'whose create has no answer yet',
    { entry: { id: undefined, outcome: undefined, attempt: ownAttempt } },
  ],
  ['whose entry is of another cluster', { entry: { clusterUid: 'production' } }],
])('an object %s is not reported', (_, given) => {
  expect(told(given)).toEqual({ messages: [], counted: [] });
});

test.each([
  ['reports its own objects and objects without an owner', false, 1],
  ['does not report the objects of a second process', true, 0],
])('of several processes, a process %s', (_, isAnothers, times) => {
  expect(told({ isAnothers }).messages).toHaveLength(times);
});
