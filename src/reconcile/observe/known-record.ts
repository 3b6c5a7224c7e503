import type { ObjectMemory } from '../process/memory.ts';
import { readRecord, type ResourceRecord } from '../record/record.ts';

/** Keeps in mind what the record of an object says: `kubectl replace` may take it away, and nothing else may know of what is not answered yet. */
export function rememberRecord(memory: ObjectMemory, uid: string, text: string): void {
  memory.record = { uid, text };
}

/**
 * The record that this process knows of an object and its annotation lost: it was removed, or an older one was put in its place, which does not know of
 * the resource, of the open create or of the peering that is not answered. One that names another resource, or a create that was begun later, is
 * somebody's word that counts.
 */
export function lostRecord({ record: known }: ObjectMemory, uid: string, text: string | undefined): ResourceRecord | undefined {
  if (known?.uid !== uid || known.text === text) return undefined;
  const remembered = readRecord(known.text);
  const there = readRecord(text);
  if (remembered.state !== 'read' || there.state === 'unreadable') return undefined;
  return there.state === 'none' || isOlder(there.record, remembered.record) ? remembered.record : undefined;
}

function isOlder({ id, attempt, peerings = {} }: ResourceRecord, known: ResourceRecord): boolean {
  if (id !== known.id) return id === undefined || id === known.replaces;
  const open = known.attempt;
  const lacksAttempt = open !== undefined && attempt?.id !== open.id && !(Date.parse(attempt?.at ?? '') > Date.parse(open.at));
  const pending = Object.entries(known.peerings ?? {}).filter(([, peering]) => 'pendingSince' in peering);
  return lacksAttempt || pending.some(([key]) => !(key in peerings));
}
