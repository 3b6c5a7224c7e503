import { annotations } from '../resources/annotations.ts';
import type { ResourceRecord } from './record.ts';
import type { ManagedObject, Situation } from './situation.ts';

/** Whether a person said that another resource may take the place of this one. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/** What the record of a create says of the resource that it replaces. A recreation that was refused is still one. */
export function replacement({ identity, record }: Pick<Situation, 'identity' | 'record'>): Pick<ResourceRecord, 'replaces'> {
  const replaces = identity.state === 'known' ? identity.id : record.replaces;
  return replaces === undefined ? {} : { replaces };
}
