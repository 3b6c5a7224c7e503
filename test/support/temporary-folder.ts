import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that is deleted at the end of the scope. */
export async function temporaryFolder() {
  const path = await mkdtemp(join(tmpdir(), 'managed-db-test-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
