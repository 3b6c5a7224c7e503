import { annotations } from '../../resources/annotations.ts';
import { allOf, annotateCommand, patchStatusCommand } from './commands.ts';
import { openAttemptIn } from '../record/attempt.ts';
import { completedByStatus } from '../record/known-by-status.ts';
import type { Attempt, ReadRecord, ResourceRecord } from '../record/record.ts';
import type { Identity, Situation } from './situation.ts';
import type { EntryContent } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

const recordPlace = 'the annotation managed-db.io/record';

/** The id that one place knows. */
interface KnownBy {
  readonly place: string;
  readonly by: 'record' | 'status';
  readonly id: string | undefined;
  readonly projectId: string | undefined;
}

/**
 * The known id, if all places that have one agree. Pure.
 *
 * Each place counts, but for the id of a lost resource that was replaced. The ledger counts where no other place knows an id, so that nothing is created.
 * {@link identityWhileCreating} says what counts while a create is open.
 */
export function identityOf(read: ReadRecord, object: ManagedObject, inLedger: Pick<EntryContent, 'id' | 'projectId'> = {}): Identity {
  if (read.state === 'unreadable') {
    return {
      state: 'conflict',
      message: `the annotation ${annotations.record} does not parse, or is longer than any that the operator writes, and nothing is called before it does: ${remedyOfUnreadable(object)}`,
    };
  }
  const record = read.state === 'read' ? read.record : undefined;
  const { status } = object;
  const places: readonly KnownBy[] = [
    { place: recordPlace, by: 'record', id: record?.id, projectId: record?.projectId },
    { place: 'status.id', by: 'status', id: status?.id, projectId: status?.projectId },
  ];
  const known = places.filter((place) => place.id !== undefined && (place.by === 'record' || place.id !== record?.replaces));
  const [first] = known;
  if (!first?.id)
    return inLedger.id === undefined ? { state: 'none' } : { state: 'known', id: inLedger.id, projectId: inLedger.projectId, by: 'ledger' };
  if (known.some((place) => place.id !== first.id)) {
    const said = known.map(({ place, id }) => `${place} says ${id}`).join(' and ');
    const isCreating = record?.id !== undefined && openAttemptIn(record, object) !== undefined;
    const remedy = isCreating ? remedyWhileCreating(known, first.id, object) : remedyOf(known, object);
    return { state: 'conflict', message: `${said}, and nothing is called before they agree: ${remedy}` };
  }
  return { state: 'known', id: first.id, projectId: known.find((place) => place.projectId !== undefined)?.projectId, by: first.by };
}

/**
 * The record that counts. While status or the ledger alone has the id, it is the record as it will be written back: so whatever is derived from it, the next status among
 * that, is as complete as before, also if Kubernetes refuses to take it back. Pure.
 */
export function countingRecord(written: ResourceRecord, identity: Identity, object: ManagedObject): ResourceRecord {
  return identity.state === 'known' && identity.by !== 'record'
    ? completedByStatus({ ...written, id: identity.id }, object, identity.projectId)
    : written;
}

/** A record that is removed is restored from status. If that has no id, removing the record would lead to another create. */
function remedyOfUnreadable(object: ManagedObject): string {
  if (object.status?.id === undefined) return `restore it from a backup (${needsRecord})`;
  return `restore it from a backup, or have it written back from status (either ${needsRecord}): ${annotateCommand(object, `${annotations.record}-`)}`;
}

/** Each of the places may be right, so a user must decide. Then all others are mended: a record is written back for as long as status agrees with it. */
function remedyOf(known: readonly KnownBy[], object: ManagedObject): string {
  const ids = [...new Set(known.map(({ id }) => id))];
  return ids.map((right) => `if ${right} is right${inOneLine(corrections(known, right, object))}`).join('; ');
}

/**
 * A record with an open recreation is written back when somebody removes it, since what the create made is never forgotten. So that is found out first, and
 * another id can be said only after it. Meanwhile nothing else may take the place of the lost resource.
 */
function remedyWhileCreating(known: readonly KnownBy[], recorded: string, object: ManagedObject): string {
  const others = [...new Set(known.map(({ id }) => id))].filter((id) => id !== recorded);
  const isAllowed = object.metadata.annotations?.[annotations.allowRecreate] !== undefined;
  const nothingMore = isAllowed
    ? [`if ${others.join(' or ')} is right, before anything else: ${annotateCommand(object, `${annotations.allowRecreate}-`)}`]
    : [];
  const first = `what came of the open create of the record is found out first${inOneLine(corrections(known, recorded, object))}`;
  const then = others.map(
    (id) => `if ${id} is right, say so in status once the create is closed${inOneLine([correctionOfStatus(id, object)])}`,
  );
  return [...nothingMore, first, ...then].join('; ');
}

/** What makes a place name the right id: the command, and what a person must know before it is run. */
interface Correction {
  readonly command: string;
  readonly note?: string;
}

const needsRecord = 'needs the verb record';

/** All that is to be known stands before the command: the end of a line is copied with it. */
function inOneLine(all: readonly Correction[]): string {
  const notes = all.flatMap(({ note }) => note ?? []);
  return `${notes.length === 0 ? '' : ` (${notes.join(', ')})`}: ${allOf(all.map(({ command }) => command))}`;
}

/** The corrections after which all places name this id. */
function corrections(known: readonly KnownBy[], right: string | undefined, object: ManagedObject): readonly Correction[] {
  return known.filter(({ id }) => id !== right).flatMap((place) => correction(place, right, object));
}

/** Words and remedy where the open create in the record is another object's, and status knows an id that this record lacks. */
export function createOfAnother({ object, record }: Pick<Situation, 'object' | 'record'>, id: string): string {
  const [takeOff, forget] = [correctionOfRecord(object), correctionOfStatus(null, object)];
  return `${recordPlace} has the open create ${record.attempt?.id} and status.id says ${id}, and nothing is called before they agree: if ${id} is right${inOneLine([takeOff])}; if the create is right${inOneLine([forget])}`;
}

function correction({ by }: KnownBy, right: string | undefined, object: ManagedObject): readonly Correction[] {
  switch (by) {
    case 'record':
      return [correctionOfRecord(object)];
    case 'status':
      return [correctionOfStatus(right, object)];
  }
}

function correctionOfRecord(object: ManagedObject): Correction {
  return { command: annotateCommand(object, `${annotations.record}-`), note: needsRecord };
}

function correctionOfStatus(id: string | null | undefined, object: ManagedObject): Correction {
  return { command: patchStatusCommand(object, { id }), note: 'needs rights on the status' };
}

/**
 * The identity while a create may be open. A create is open if it is recorded and the cloud did not refuse it. No other place ends it: an id in status may
 * show that the record is an older one, put back, or it was restored itself while the create was open. What came of the create is found out first; then the other place is heard.
 */
export function identityWhileCreating(record: ResourceRecord, identity: Identity, object: ManagedObject): CreatingIdentity {
  const openAttempt = identity.state === 'conflict' ? undefined : openAttemptIn(record, object);
  if (openAttempt === undefined || identity.state !== 'known' || identity.by === 'record')
    return { openAttempt, identity, idBeside: undefined };
  return { openAttempt, identity: { state: 'none' }, idBeside: { id: identity.id } };
}

interface CreatingIdentity extends Pick<Situation, 'identity' | 'idBeside'> {
  /** The create that is still open. */
  readonly openAttempt: Attempt | undefined;
}
