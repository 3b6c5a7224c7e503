import { annotations } from '../../resources/annotations.ts';
import type { Situation } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ResourceRecord } from '../record/record.ts';

/** Whether a person said that another resource may take the place of this one. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/** Whether a resource, once lost, is to be made again: its record is there, a person said so, and the object stays. */
export function isToBeReplaced({ object, record }: Pick<Situation, 'object' | 'record'>): boolean {
  return record.id !== undefined && !object.metadata.deletionTimestamp && mayBeReplaced(object, record.id);
}

/** What the record says once a DELETE was decided: for this resource, by this very object. The annotation repeats it, for people. */
export function deletionMark(id: string, { metadata }: ManagedObject): string {
  return `${id} ${metadata.uid}`;
}

export function isDeletionStarted(id: string, object: ManagedObject, record: ResourceRecord): boolean {
  return record.deletionStarted === deletionMark(id, object);
}
