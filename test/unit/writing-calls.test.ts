import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/**
 * The files of the operator that write to Kubernetes, with the number of calls. test/attack/writes refuses each call in
 * every way, by the purposes of purpose.ts. A new call gets a purpose and a row there, and then a place here.
 */
const writingCalls: Readonly<Record<string, number>> = {
  // Records, marks and finalizers of objects.
  'reconcile/act/patch-object.ts': 1,
  // Their status: of a reconcile, of a failed reconcile, and while waiting for the cloud. All go through the
  // status writer.
  'reconcile/report/publish.ts': 1,
  'reconcile/report/troubled-visit.ts': 1,
  'runtime/status-writer.ts': 1,
  // Not in the table: the id of a create that the ledger does not take. test/unit/reconcile/act/create.test.ts has it.
  'reconcile/act/create.ts': 1,
  // Events: the first write, and the update of the count.
  'runtime/events.ts': 2,
  // Connection Secrets and their dry runs; ledger entries.
  'reconcile/act/connection.ts': 3,
  'reconcile/ledger/write-entry.ts': 4,
  // Secrets of users: holding a key, watching the source of a password, releasing a key.
  'reconcile/act/user-secrets.ts': 3,
  // Not in the table, since no object depends on it. If a write of the Lease fails, the process loses the Lease and logs
  // the loss; see test/integration/runtime/leader-election.
  'runtime/lease.ts': 3,
};

const calls =
  /\b(?:kubernetes|client|recording)\s*\.(?:create|patch|replace|delete)\b\s*(?:<[^>]*>)?\(|\bpatchStatus\(/gu;
const src = new URL('../../src/', import.meta.url);

test('each call that writes to Kubernetes is known to the table of refused writes', async () => {
  const files = (await readdir(src, { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !/^(?:simulator|demo|cli)\//u.test(path),
  );
  const found = await Promise.all(
    files.map(
      async (path) =>
        [path, (await readFile(new URL(path, src), 'utf8')).match(calls)?.length ?? 0] as const,
    ),
  );
  expect(Object.fromEntries(found.filter(([, count]) => count > 0))).toEqual(writingCalls);
});
