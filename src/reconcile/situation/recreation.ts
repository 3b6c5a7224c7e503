import { annotations } from '../../resources/annotations.ts';
import type { Situation } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ResourceRecord } from '../record/record.ts';

/** The status, unless it still shows a resource that this one replaced: what was asked of that one, and what came of it, says nothing of this one. */
export function ownStatus<O extends Pick<ManagedObject, 'status'>>({
  object: { status },
  identity,
}: StatusAndId<O>): O['status'] | undefined {
  return identity.state === 'known' && status?.id !== undefined && status.id !== identity.id ? undefined : status;
}

type StatusAndId<O> = Pick<Situation, 'identity'> & { readonly object: O };

/** Whether a user allowed a replacement for this resource. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/** Whether a lost resource is to be recreated: it is recorded, a user allowed it, and the object is not being deleted. */
export function isToBeReplaced({ object, record }: Pick<Situation, 'object' | 'record'>): boolean {
  return record.id !== undefined && !object.metadata.deletionTimestamp && mayBeReplaced(object, record.id);
}

export function isDeletionStarted(id: string, { deletionStarted }: ResourceRecord): boolean {
  return deletionStarted === id;
}
