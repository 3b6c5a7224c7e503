import { attemptOpenMs } from '../record/attempt.ts';
import type { ObjectSight } from './observe-object.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * Whether a 404 may be believed: the resource was seen other than in the answer to its create, or was created long enough ago for every part of the
 * cloud to know it.
 */
export function wasSeenBefore({ object, claimedAt, identity, now }: ObjectSight): boolean {
  if (identity.state !== 'known') return false;
  const { lastOperation: last, id } = object.status ?? {};
  if (last?.operation === 'delete' && last.wanted === identity.id) return true;
  // A mirror of another id is of what was lost before.
  if (id === identity.id && isMoreThanAnAnswer(object)) return true;
  return claimedAt !== undefined && now - claimedAt > attemptOpenMs;
}

const firstStates: ReadonlySet<string> = new Set(['QUEUED', 'CONFIGURING']);

/** A service that is past its beginning was seen in a list; a VPC shows nothing by which that could be told. What was Lost had been seen. */
function isMoreThanAnAnswer({ kind, status }: ManagedObject): boolean {
  if (status?.conditions?.some(({ type, reason }) => type === 'Stalled' && reason === 'Lost')) return true;
  return kind === 'ManagedService' && status?.state !== undefined && !firstStates.has(status.state);
}
