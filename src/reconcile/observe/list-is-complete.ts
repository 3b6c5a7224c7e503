import type { Context } from '../context.ts';
import type { ManagedObject } from '../situation.ts';
import { unlessNotFound } from './unless-not-found.ts';

/** How long it counts that the cloud did not find a resource. */
const remembersMs = 120_000;
/** So many are asked for one by one; more are missing together only from a list that is not whole. */
const mostAsked = 10;
/** Where nothing can be asked for by itself, two lists that lack it must be this far apart. */
const apartMs = 10_000;

interface Listed {
  readonly kind: ManagedObject['kind'];
  readonly projectId: string;
  /** What the list itself showed. */
  readonly listed: ReadonlySet<string>;
  /** The id in question itself, which the cloud was just asked for and did not find. */
  readonly except?: string | undefined;
  /** For a list of what hangs on one resource. */
  readonly parentId?: string | undefined;
  /** Asks the cloud for one; undefined where the kind has no such call. */
  readonly get?: ((id: string) => Promise<unknown>) | undefined;
}

/**
 * Whether what a list lacks may be taken as gone: it shows every other resource that an object of ours is known to have, save those of which the cloud
 * itself says that they are gone. A truncated or old list proves nothing. (SAFETY, Absence)
 * @throws {CloudError} when one of them could not be asked for
 */
export async function listIsComplete({ kind, projectId, listed, except, parentId, get }: Listed, context: Context): Promise<boolean> {
  const { claims, memory, clock } = context;
  const { absences } = memory;
  const now = clock.now();
  for (const [key, { until }] of absences) if (until < now) absences.delete(key);
  const keyOf = (id: string) => `${kind} ${projectId} ${id}`;
  const missing = new Set<string>();
  for (const [id, claimant] of claims.expected(kind, projectId)) {
    if (id === except || claimant.parentId !== parentId) continue;
    if (listed.has(id)) absences.delete(keyOf(id));
    else missing.add(id);
  }
  if (!get) return [...missing].map((id) => isMissingLong(keyOf(id))).every(Boolean);
  // Whoever asks has just looked for its own in vain: that is how more than can be asked for come to be known as gone.
  if (except !== undefined) absences.set(keyOf(except), { since: now, until: now + remembersMs });
  const unknown = [...missing].filter((id) => !absences.has(keyOf(id)));
  if (unknown.length > mostAsked) return false;
  for (const id of unknown) {
    if ((await unlessNotFound(get(id))) !== undefined) return false;
    absences.set(keyOf(id), { since: now, until: now + remembersMs });
  }
  return true;

  function isMissingLong(key: string): boolean {
    const { since } = absences.get(key) ?? { since: now };
    absences.set(key, { since, until: now + remembersMs });
    return now - since >= apartMs;
  }
}
