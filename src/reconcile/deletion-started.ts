import { annotations } from '../resources/annotations.ts';
import type { ManagedObject } from './situation.ts';

/** What the annotation says once a DELETE was decided: for this resource, by this very object. */
export function deletionMark(id: string, { metadata }: ManagedObject): Readonly<Record<string, string>> {
  return { [annotations.deletionStarted]: `${id} ${metadata.uid}` };
}

export function isDeletionStarted(id: string, object: ManagedObject): boolean {
  const { deletionStarted } = annotations;
  return object.metadata.annotations?.[deletionStarted] === deletionMark(id, object)[deletionStarted];
}
