import { CloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type { Account } from '../account.ts';
import type { CloudSight } from '../cloud-sight.ts';
import { unlessNotFound } from './unless-not-found.ts';

export interface SightOptions<T> {
  readonly account: Account;
  readonly list: ListPoller<T>;
  readonly id: string;
  readonly get: () => Promise<T>;
  /** Whether a 404 may count: the id was seen before, or the create is long enough ago for every list and replica to know it. */
  readonly seenBefore: boolean;
  /** Policy time before which a list is too old. 0: any will do. */
  readonly notBefore: number;
  readonly now: () => number;
  /** Whether what this list lacks may be taken as gone. */
  readonly isComplete: (listed: ReadonlySet<string>) => Promise<boolean>;
}

const lookAgainMs = 5_000;

/** Looks for a resource by its id: in the bulk snapshot first, with a GET only when that lacks it. Absence is proven, never assumed. */
export async function sightById<T>(options: SightOptions<T>): Promise<CloudSight<T>> {
  const { list, id, get, notBefore } = options;
  try {
    const snapshot = notBefore === 0 && list.latest ? list.latest : await list.since(notBefore);
    const listed = snapshot.items.get(id);
    if (listed !== undefined) return { state: 'present', resource: listed, asOf: snapshot.begunAt };
    const asOf = options.now();
    const resource = await unlessNotFound(get());
    if (resource === undefined) return await proveAbsence(options);
    list.put(id, resource);
    return { state: 'present', resource, asOf };
  } catch (error) {
    if (error instanceof CloudError) return { state: 'unknown', error };
    throw error;
  }
}

/** A 404 counts only when the key still belongs to the recorded project and a list begun later, a whole one, lacks the id, too. */
async function proveAbsence<T>({ account, list, id, seenBefore, now, isComplete }: SightOptions<T>): Promise<CloudSight<T>> {
  const missing: CloudSight<T> = { state: 'missing', again: now() + lookAgainMs };
  if (!seenBefore) return missing;
  const info = await account.api.getCredentialsInfo();
  if (info.apiKey.project.id !== account.projectId) return { state: 'unknown', error: undefined };
  const later = await list.since(now());
  return later.items.has(id) || !(await isComplete(later.listed)) ? missing : { state: 'absent' };
}
