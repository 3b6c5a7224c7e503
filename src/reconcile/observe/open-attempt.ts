import type { Attempt, ResourceRecord } from '../record/record.ts';
import type { Identity } from '../situation/situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** What is known of the resource, as far as it counts now. */
export interface Heard {
  /** The create that is still open. */
  readonly open: Attempt | undefined;
  readonly identity: Identity;
  /** The id that the Secret alone says while a create is open: it counts when nothing came of that. */
  readonly heldBack: string | undefined;
}

/**
 * A create is open when it is recorded and the cloud did not refuse it. A record without an id, while status knows one, is old, and so is its attempt.
 * A Secret ends no create: Secrets are restored from backups, and anybody who may write them can make one.
 */
export function heard(record: ResourceRecord, told: Identity, object: ManagedObject): Heard {
  const { attempt } = record;
  const isOld = told.state === 'conflict' || (told.state === 'known' && told.by === 'status');
  const open = attempt && !isOld && object.status?.refusal?.attempt !== attempt.id ? attempt : undefined;
  const isHeldBack = open !== undefined && told.state === 'known' && told.by === 'secret';
  return isHeldBack ? { open, identity: { state: 'none' }, heldBack: told.id } : { open, identity: told, heldBack: undefined };
}
