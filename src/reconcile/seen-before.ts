import { attemptOpenMs } from './attempt.ts';
import type { ObjectSight } from './observe/observe-object.ts';

/** Whether a 404 may be believed: the resource was seen before, or was created long enough ago for every part of the cloud to know it. */
export function wasSeenBefore({ object, record, now }: ObjectSight): boolean {
  const { status } = object;
  if (status?.state !== undefined || (object.kind === 'ManagedVpc' && object.status?.vpc !== undefined)) return true;
  const claimedAt = Date.parse(record.claimedAt ?? '');
  return !Number.isNaN(claimedAt) && now - claimedAt > attemptOpenMs;
}
