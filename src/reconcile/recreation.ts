import { annotations } from '../resources/annotations.ts';
import type { ManagedObject } from './situation.ts';

/** Whether a person said that another resource may take the place of this one. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}
