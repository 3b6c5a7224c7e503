import { annotations } from '../../resources/annotations.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { readRecord, type ReadRecord, type ResourceRecord } from '../record/record.ts';
import type { Remembered } from './memory.ts';

/** The record of an object that counts. `isLost`: it is remembered, and the annotation does not say it any more. */
export type CountingRecord = ReadRecord & { readonly isLost: boolean };

/**
 * The record that counts: what the annotation says, unless this process remembers what it lost. It was removed (`kubectl replace`), or an older one was put
 * in its place, which does not know of the resource, of the open create or of the peering that is not answered. One that names another resource, or a
 * create that was begun later, is somebody's word that counts.
 */
export function recordOf({ metadata }: Pick<ManagedObject, 'metadata'>, { record: known }: Pick<Remembered, 'record'>): CountingRecord {
  const text = metadata.annotations?.[annotations.record];
  const there = readRecord(text);
  const remembered = readRecord(known?.uid === metadata.uid && known.text !== text ? known.text : undefined);
  if (remembered.state !== 'read' || there.state === 'unreadable') return { ...there, isLost: false };
  const isLost = there.state === 'none' || isOlder(there.record, remembered.record);
  return { ...(isLost ? remembered : there), isLost };
}

function isOlder({ id, attempt, peerings = {} }: ResourceRecord, known: ResourceRecord): boolean {
  if (id !== known.id) return id === undefined || id === known.replaces;
  const open = known.attempt;
  const lacksAttempt = open !== undefined && attempt?.id !== open.id && !(Date.parse(attempt?.at ?? '') > Date.parse(open.at));
  const pending = Object.entries(known.peerings ?? {}).filter(([, peering]) => 'pendingSince' in peering);
  return lacksAttempt || pending.some(([key]) => !(key in peerings));
}
