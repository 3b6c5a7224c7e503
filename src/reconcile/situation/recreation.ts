import { annotations } from '../../resources/annotations.ts';
import type { Situation } from './situation.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** Whether a person said that another resource may take the place of this one. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/** Whether a resource, once lost, is to be made again: its record is there, a person said so, and the object stays. */
export function isToBeReplaced({ object, record }: Pick<Situation, 'object' | 'record'>): boolean {
  return record.id !== undefined && !object.metadata.deletionTimestamp && mayBeReplaced(object, record.id);
}
