import type { Attempt, ResourceRecord } from '../record.ts';
import type { Identity, ManagedObject } from '../situation.ts';

/**
 * The create that is still open: recorded, and not one that the cloud refused. A record without an id, while another place knows one, is old, and so is
 * its attempt.
 */
export function openAttempt(record: ResourceRecord, identity: Identity, object: ManagedObject): Attempt | undefined {
  const { attempt } = record;
  const isOld = identity.state === 'conflict' || (identity.state === 'known' && record.id === undefined);
  return attempt && !isOld && object.status?.refusal?.attempt !== attempt.id ? attempt : undefined;
}
