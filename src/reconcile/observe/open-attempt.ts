import type { Attempt, ResourceRecord } from '../record/record.ts';
import type { Identity } from '../situation/situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** The knowledge about the resource that counts at present. */
export interface Heard {
  /** The create that is still open. */
  readonly open: Attempt | undefined;
  readonly identity: Identity;
  /** The id in the Secret alone, while a create is open. It counts if the create made nothing. */
  readonly heldBack: string | undefined;
}

/**
 * A create is open if it is recorded and the cloud did not refuse it. A record without an id is outdated if status has one, and so is its attempt. A Secret
 * never closes a create: Secrets are restored from backups, and everybody with the right to write Secrets can make one.
 */
export function heard(record: ResourceRecord, told: Identity, object: ManagedObject): Heard {
  const { attempt } = record;
  const isOld = told.state === 'conflict' || (told.state === 'known' && told.by === 'status');
  const open = attempt && !isOld && object.status?.refusal?.attempt !== attempt.id ? attempt : undefined;
  const isHeldBack = open !== undefined && told.state === 'known' && told.by === 'secret';
  return isHeldBack ? { open, identity: { state: 'none' }, heldBack: told.id } : { open, identity: told, heldBack: undefined };
}
