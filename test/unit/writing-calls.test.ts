import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

/**
 * Where the operator writes to Kubernetes, and how often the source says so. Each of these calls is refused in every way in test/attack/writes, by the
 * purposes of purpose.ts; a new one gets a purpose and a row there, and then a place here.
 */
const writingCalls: Readonly<Record<string, number>> = {
  // Records, marks and finalizers of objects.
  'reconcile/act/patch-object.ts': 1,
  // Their status: of a visit, of one that failed, and of one that waits for the cloud. All go through the status writer.
  'reconcile/report/publish.ts': 1,
  'reconcile/report/troubled-visit.ts': 2,
  'runtime/status-writer.ts': 2,
  // Events: the first one, and its count.
  'runtime/events.ts': 2,
  // Connection Secrets and their dry runs; ledger entries.
  'reconcile/act/connection.ts': 8,
  'reconcile/ledger/write-entry.ts': 4,
  // Secrets of users: a key that is held, the source of a password that is watched; a key that is let go.
  'reconcile/act/user-secrets.ts': 3,
  // Not in the table, since no object depends on it: a Lease that cannot be written is lost and told in the log (test/integration/runtime/leader-election).
  'runtime/lease.ts': 3,
};

const calls = /\b(?:kubernetes|client|recording)\s*\.(?:create|patch|replace|delete)\b\s*(?:<[^>]*>)?\(|\b(?:write|patch)Status\(/gu;
const src = new URL('../../src/', import.meta.url);

test('each call that writes to Kubernetes is known to the table of refused writes', async () => {
  const files = (await readdir(src, { recursive: true })).filter(
    (path) => path.endsWith('.ts') && !/^(?:simulator|demo|cli)\//u.test(path),
  );
  const found = await Promise.all(
    files.map(async (path) => [path, (await readFile(new URL(path, src), 'utf8')).match(calls)?.length ?? 0] as const),
  );
  expect(Object.fromEntries(found.filter(([, count]) => count > 0))).toEqual(writingCalls);
});
