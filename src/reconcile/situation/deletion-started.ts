import type { ResourceRecord } from '../record/record.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** What the record says once a DELETE was decided: for this resource, by this very object. The annotation repeats it, for people. */
export function deletionMark(id: string, { metadata }: ManagedObject): string {
  return `${id} ${metadata.uid}`;
}

export function isDeletionStarted(id: string, object: ManagedObject, record: ResourceRecord): boolean {
  return record.deletionStarted === deletionMark(id, object);
}
