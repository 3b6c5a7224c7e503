import { attemptOpenMs } from './attempt.ts';
import type { ManagedObject } from './situation.ts';
import type { ObjectSight } from './observe/observe-object.ts';

/** Whether a 404 may be believed: the resource was seen before, or was created long enough ago for every part of the cloud to know it. */
export function wasSeenBefore({ object, record, now }: ObjectSight): boolean {
  if (mirrorIn(object) !== undefined) return true;
  const claimedAt = Date.parse(record.claimedAt ?? '');
  return !Number.isNaN(claimedAt) && now - claimedAt > attemptOpenMs;
}

/** What status last showed of the resource. */
function mirrorIn(object: ManagedObject): unknown {
  switch (object.kind) {
    case 'ManagedVpc':
      return object.status?.vpc;
    case 'ManagedService':
      return object.status?.service;
    case 'ReplicaSet':
      return object.status?.replicaSet;
  }
}
