import { annotations } from '../../resources/annotations.ts';
import type { Situation } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { isDeleteAnswered } from './last-operation.ts';

/**
 * The status, unless it still shows a resource that this resource replaced: requests about the replaced
 * resource, and their results, say nothing about this resource.
 */
export function ownStatus<O extends Pick<ManagedObject, 'status'>>({
  object: { status },
  identity,
}: StatusAndId<O>): O['status'] | undefined {
  return identity.state === 'known' && status?.id !== undefined && status.id !== identity.id ? undefined : status;
}

type StatusAndId<O> = Pick<Situation, 'identity'> & { readonly object: O };

export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/** Whether the lost resource is recorded, a user allowed its replacement, and the object is not being deleted. */
export function isToBeReplaced({ object, record }: Pick<Situation, 'object' | 'record'>): boolean {
  return record.id !== undefined && !object.metadata.deletionTimestamp && mayBeReplaced(object, record.id);
}

/**
 * Whether a deletion of this resource is recorded, and was decided upon the present spec or is answered by the
 * cloud. Between decision and answer, a process may end or a look may fail, and a user may set Retain.
 */
export function isDeletionStarted(
  id: string,
  { object, record, lastOperation }: Pick<Situation, 'record' | 'lastOperation'> & { readonly object: Pick<ManagedObject, 'metadata'> },
): boolean {
  const { deletionStarted } = record;
  if (deletionStarted?.id !== id) return false;
  return deletionStarted.generation === object.metadata.generation || isDeleteAnswered(lastOperation, id);
}
