import { annotations } from '../resources/annotations.ts';
import { withoutAttempt } from './record-changes.ts';
import type { ResourceRecord } from './record.ts';
import type { ManagedObject, Situation } from './situation.ts';

/** Whether a person said that another resource may take the place of this one. */
export function mayBeReplaced({ metadata }: ManagedObject, id: string): boolean {
  return metadata.annotations?.[annotations.allowRecreate] === id;
}

/**
 * What the record says while a create is open, beside the attempt. What was known of a lost resource stays until another has taken its place: should
 * nothing come of the create, there is nothing to undo.
 */
export function opening({ record, clusterUid, object }: Situation, projectId: string): ResourceRecord {
  return { ...withoutAttempt(record), projectId, clusterUid, objectUid: object.metadata.uid };
}
