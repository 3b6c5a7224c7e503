import { expect, test } from 'vitest';
import { operatorCaches } from '../../../../src/operator/caches.ts';
import {
  recordAnswer,
  recordChange,
  type Answer,
} from '../../../../src/reconcile/act/record-answer.ts';
import { concluded } from '../../../../src/reconcile/ledger/record.ts';
import {
  annotationsOf,
  ledgerEntries,
  ledgerEntriesWithData,
  type EntryContent,
} from '../../../../src/resources/ledger-entry.ts';
import { KubernetesError, keyOf, objectCache } from '../../../../src/runtime/index.ts';
import { ledgerEntry } from '../../../support/ledger-entry.ts';
import { secretsInMemory } from '../../../support/secrets-in-memory.ts';
import { chosenAttempt, noon, serviceObject } from '../../../support/situation.ts';

/** The answer to a create. Other processes may have written the entry since. */

const opened = {
  id: undefined,
  outcome: undefined,
  attempt: chosenAttempt,
  hasPassword: false,
  passwordNumber: 0,
};

/** Undefined if the attempt is not open any more. */
const write: Answer['write'] = recordChange((record) =>
  record.attempt?.id === chosenAttempt.id ? concluded(record, 'svc-2', noon) : undefined,
);

function stored(given: Partial<EntryContent>, resourceVersion: string) {
  const { metadata, content } = ledgerEntry(given, { resourceVersion });
  return { metadata: { ...metadata, annotations: content && annotationsOf(content) }, data: {} };
}

/** @param there the entry in the cluster by now; undefined: it is gone */
function recording(there: object | undefined, failures: readonly KubernetesError['kind'][] = []) {
  const { kubernetes, all } = secretsInMemory(there ? [there] : []);
  const seen = ledgerEntriesWithData.parse(stored(opened, '1'));
  const coming = [...failures];
  const errors: unknown[] = [];
  const context = {
    kubernetes: {
      ...kubernetes,
      patch: (...args: Parameters<typeof kubernetes.patch>) => {
        const kind = coming.shift();
        return kind
          ? Promise.reject(new KubernetesError({ operation: 'patch', kind }))
          : kubernetes.patch(...args);
      },
    },
    caches: operatorCaches({ cache: () => objectCache([undefined]) }, 'managed-db-ledger'),
    log: { warn: () => undefined, error: (fields: unknown) => errors.push(fields) },
  };
  const record = () =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the parts that this uses
    recordAnswer(serviceObject(), seen, { id: 'svc-2', write }, context as never);
  const entry = () => ledgerEntries.parse(all.get(keyOf(seen))).content;
  return { record, errors, entry, context };
}

test.each<[string, object, readonly KubernetesError['kind'][]]>([
  ['no process has written the entry since', stored(opened, '1'), []],
  [
    'a second process has written the entry since',
    stored({ ...opened, passwordNumber: 7 }, '2'),
    [],
  ],
  ['the API server fails once', stored(opened, '1'), ['server']],
  ['a right is missing for a moment', stored(opened, '1'), ['forbidden']],
  ['a gateway answers 404 for a moment', stored(opened, '1'), ['placeMissing']],
])('An answer is recorded if %s.', async (_, there, failures) => {
  const { record, errors, entry } = recording(there, failures);
  await record();
  const { passwordNumber } = ledgerEntries.parse(there).content ?? {};
  expect(entry()).toMatchObject({ id: 'svc-2', outcome: 'created', passwordNumber });
  expect([entry()?.attempt, errors]).toEqual([undefined, []]);
});

test('An answer is recorded once if the reply to its write was lost.', async () => {
  const { record, context, entry, errors } = recording(stored(opened, '1'));
  const { patch } = context.kubernetes;
  let writes = 0;
  context.kubernetes.patch = async (...args) => {
    writes += 1;
    await patch(...args);
    throw new KubernetesError({ operation: 'patch', kind: 'timeout' });
  };
  await record();
  expect([writes, entry()?.id, errors]).toEqual([1, 'svc-2', []]);
});

test.each<[string, Partial<EntryContent>]>([
  ['a second process has closed the attempt', { ...opened, attempt: undefined }],
  ['a later create is open', { ...opened, attempt: { ...chosenAttempt, id: 'later' } }],
  ['a second resource was adopted', { id: 'svc-3' }],
])('An answer is logged and changes nothing if %s.', async (_, given) => {
  const there = stored(given, '2');
  const { record, errors, entry } = recording(there);
  await expect(record()).rejects.toMatchObject({ kind: 'conflict' });
  expect(entry()).toEqual(ledgerEntries.parse(there).content);
  expect(errors).toMatchObject([{ id: 'svc-2', projectId: 'prj-1' }]);
});

test.each<[string, object | undefined, readonly KubernetesError['kind'][], object]>([
  ['is gone', undefined, [], { kind: 'notFound' }],
  [
    'cannot be read',
    { ...stored(opened, '2'), metadata: { ...stored(opened, '2').metadata, annotations: {} } },
    [],
    { name: 'LedgerUnusable' },
  ],
  ['is refused', stored(opened, '1'), ['invalid'], { kind: 'invalid' }],
])('An answer is logged if the entry %s.', async (_, there, failures, error) => {
  const { record, errors } = recording(there, failures);
  await expect(record()).rejects.toMatchObject(error);
  expect(errors).toMatchObject([{ id: 'svc-2', projectId: 'prj-1' }]);
});
