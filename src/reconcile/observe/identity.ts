import type { ReadRecord } from '../record.ts';
import type { Identity, ManagedObject } from '../situation.ts';

/** The id as some place knows it. */
interface KnownBy {
  readonly place: string;
  readonly id: string | undefined;
  readonly projectId: string | undefined;
}

/** The agreeing union of all places that may know the id. Pure. */
export function identityOf(
  read: ReadRecord,
  object: ManagedObject,
  secret: { id: string | undefined; projectId: string | undefined } | undefined,
): Identity {
  if (read.state === 'unreadable') {
    return {
      state: 'conflict',
      message:
        'the annotation managed-db.io/record does not parse: restore it from a backup; without it the operator calls nothing for this object',
    };
  }
  const record = read.state === 'read' ? read.record : undefined;
  const places: readonly KnownBy[] = [
    { place: 'the annotation managed-db.io/record', id: record?.id, projectId: record?.projectId },
    // While a create is open, status may still show what it replaces.
    { place: 'status.id', id: record?.attempt ? undefined : object.status?.id, projectId: object.status?.projectId },
    { place: 'the connection Secret', id: record?.attempt ? undefined : secret?.id, projectId: secret?.projectId },
  ];
  const known = places.filter((place) => place.id !== undefined);
  const [first] = known;
  if (!first?.id) return { state: 'none' };
  const other = known.find((place) => place.id !== first.id);
  if (other) {
    return {
      state: 'conflict',
      message: `${first.place} says ${first.id} and ${other.place} says ${other.id}: remove the wrong one; nothing is called before`,
    };
  }
  return { state: 'known', id: first.id, projectId: known.find((place) => place.projectId !== undefined)?.projectId };
}
