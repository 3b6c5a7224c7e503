import { annotations } from '../../resources/annotations.ts';
import type { ReadRecord } from '../record.ts';
import type { Identity, ManagedObject } from '../situation.ts';

/** What the connection Secret says of the resource that it belongs to. */
export interface SecretWord {
  readonly id: string | undefined;
  readonly projectId: string | undefined;
  readonly clusterUid: string | undefined;
  /** The create that the Secret came from. */
  readonly attempt: string | undefined;
}

/** The id as some place knows it. */
interface KnownBy {
  readonly place: string;
  readonly by: 'record' | 'status' | 'secret';
  readonly id: string | undefined;
  readonly projectId: string | undefined;
}

/**
 * The agreeing union of all places that may know the id. Pure.
 *
 * Each has a voice, whatever else is open: a record with an attempt and no id is old when status or Secret name one. Two words are none: the Secret of
 * the record's very attempt is the answer to it, which is looked at with care; and what names a lost resource that another took the place of is from before.
 */
export function identityOf(read: ReadRecord, object: ManagedObject, secret: SecretWord | undefined): Identity {
  if (read.state === 'unreadable') {
    return {
      state: 'conflict',
      message:
        'the annotation managed-db.io/record does not parse: restore it from a backup; without it the operator calls nothing for this object',
    };
  }
  const record = read.state === 'read' ? read.record : undefined;
  const { status } = object;
  // A Secret of the same name may be left from a resource that was kept: a person's word goes before it.
  const named = object.metadata.annotations?.[annotations.externalId];
  const isFromBefore = named !== undefined && record?.id === undefined && status?.id === undefined && secret?.id !== named;
  const isAnswer = record?.attempt !== undefined && secret?.attempt === record.attempt.id;
  const secretId = isFromBefore || isAnswer ? undefined : secret?.id;
  const places: readonly KnownBy[] = [
    { place: 'the annotation managed-db.io/record', by: 'record', id: record?.id, projectId: record?.projectId },
    { place: 'status.id', by: 'status', id: status?.id, projectId: status?.projectId },
    { place: 'the connection Secret', by: 'secret', id: secretId, projectId: secret?.projectId },
  ];
  const known = places.filter((place) => place.id !== undefined && place.id !== record?.replaces);
  const [first] = known;
  if (!first?.id) return { state: 'none' };
  const other = known.find((place) => place.id !== first.id);
  if (other) {
    return {
      state: 'conflict',
      message: `${first.place} says ${first.id} and ${other.place} says ${other.id}: remove the wrong one; nothing is called before`,
    };
  }
  return { state: 'known', id: first.id, projectId: known.find((place) => place.projectId !== undefined)?.projectId, by: first.by };
}
