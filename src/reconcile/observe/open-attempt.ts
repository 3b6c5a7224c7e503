import type { Attempt, ResourceRecord } from '../record.ts';
import type { ManagedObject } from '../situation.ts';

/** The create that is still open: recorded, and not one that the cloud refused. */
export function openAttempt(record: ResourceRecord, object: ManagedObject): Attempt | undefined {
  const { attempt } = record;
  return attempt && object.status?.refusal?.attempt !== attempt.id ? attempt : undefined;
}
