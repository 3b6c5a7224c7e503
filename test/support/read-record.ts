import { readRecord, type ResourceRecord } from '../../src/reconcile/record/record.ts';
import type { ManagedObject } from '../../src/resources/managed-object.ts';

/** The record of an object; empty if there is none. */
export function recordOf(object: ManagedObject | undefined): ResourceRecord {
  const read = readRecord(object?.metadata.annotations?.['managed-db.io/record']);
  return read.state === 'read' ? read.record : {};
}
