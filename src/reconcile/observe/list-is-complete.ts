import type { ManagedObject } from '../situation.ts';
import type { Context } from '../context.ts';

/** How long it counts that the cloud did not find a resource which its own object looked for. */
const remembersMs = 120_000;

interface Listed {
  readonly kind: ManagedObject['kind'];
  readonly projectId: string;
  readonly listed: ReadonlySet<string>;
  /** The id in question itself. */
  readonly except?: string | undefined;
  /** For a list of what hangs on one resource. */
  readonly parentId?: string | undefined;
}

/**
 * Whether what a list lacks may be taken as gone: it shows every other resource that an object of ours is known to have, save those that their own
 * objects have just looked for in vain. A truncated or old list proves nothing. (SAFETY, Absence)
 */
export function listIsComplete({ kind, projectId, listed, except, parentId }: Listed, { claims, memory, clock }: Context): boolean {
  for (const [id, claimant] of claims.expected(kind, projectId)) {
    if (id === except || listed.has(id) || claimant.parentId !== parentId) continue;
    const notFoundAt = memory.of(claimant.kind, claimant.key).notFoundAt ?? Number.NEGATIVE_INFINITY;
    if (clock.now() - notFoundAt > remembersMs) return false;
  }
  return true;
}
