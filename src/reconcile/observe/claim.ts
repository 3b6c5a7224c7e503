import { entryKey, entryOf, isReleased } from '../ledger/entry.ts';
import { hasResource } from '../ledger/record.ts';
import { annotations, externalIdIn } from '../../resources/annotations.ts';
import { ledgerLabel, recordIn, type LedgerEntry } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { keyOf } from '../../runtime/index.ts';
import type { View } from '../wiring/context.ts';
import type { Claim } from '../situation/situation.ts';

type Known = Pick<View, 'caches' | 'claims' | 'clusterUid' | 'evidence'> & {
  readonly options: Pick<View['options'], 'acceptedClusters'>;
};

/**
 * Whether this object may act on a resource: the first row that applies decides. The comment behind each row
 * states the fact that holds once the row does not apply. (docs/safety.md, Owning) Pure but for the caches.
 */
export function claimOf(object: ManagedObject, context: Known): Claim {
  const traces = tracesOf(object, context);
  return (
    unreadable(traces.own, traces) ?? // the entry of this object is readable, or there is none
    boundByOwnEntry(traces, context) ?? // this cluster has no entry that binds this object
    unreadable(traces.pointed, traces) ?? // the entry in the annotation is readable, or there is none
    ofAnotherCluster(traces, context) ?? // no entry of this object or of its name is another cluster's
    leftByEarlierObject(traces) ?? // the annotation names no entry of an earlier object of this name
    newOrDecided(traces) ?? // a trace of a resource is left, and no user has decided about it
    copied(traces, context) ?? {
      // the annotation names no entry of another living object
      ...unbound(traces, whyUnbound(traces)),
      pointedId: pointedIdOf(traces),
    }
  );
}

/** All that the cluster knows about the resource of an object. */
interface Traces {
  readonly object: ManagedObject;
  /** The entry of this uid. */
  readonly own: LedgerEntry | undefined;
  /** The name of an entry in the annotation of the object, and that entry. */
  readonly pointer: string | undefined;
  readonly pointed: LedgerEntry | undefined;
  /** The entries of earlier objects of this name. They are gone: two objects cannot have a name at once. */
  readonly earlier: readonly LedgerEntry[];
  /** The resource or the open create that status names, or that an entry had before another client removed it. */
  readonly known: Pick<Unbound, 'id' | 'projectId' | 'asked'>;
}

type Unbound = Extract<Claim, { readonly state: 'unbound' }>;

function tracesOf(object: ManagedObject, { caches, evidence }: Known): Traces {
  const { metadata, status, kind } = object;
  const lost = status?.id === undefined ? evidence.lostBy(object) : undefined;
  const { id, projectId } = lost ?? status ?? {};
  const pointer = metadata.annotations?.[annotations.ledger];
  return {
    object,
    own: entryOf(object, caches),
    pointer,
    pointed:
      pointer === undefined ? undefined : caches.ledger.entries.get(entryKey(pointer, caches)),
    earlier: caches.ledger
      .ofName(kind, keyOf(object))
      .filter((entry) => entry.content?.object.uid !== metadata.uid && !isReleased(entry)),
    known: { id, projectId, asked: lost?.asked },
  };
}

/** An entry that cannot be read never counts as absent. */
function unreadable(entry: LedgerEntry | undefined, traces: Traces): Claim | undefined {
  return entry && !entry.content
    ? unbound(traces, `ledger entry ${entry.metadata.name} cannot be read`)
    : undefined;
}

/** An entry without a resource binds only an object that no other trace connects to a resource. */
function boundByOwnEntry(
  { object: { kind, metadata }, own, known }: Traces,
  { clusterUid, claims }: Known,
): Claim | undefined {
  const record = recordIn(own);
  const isBound = hasResource(record) || known.id === undefined;
  if (!own || !isBound || own.content?.clusterUid !== clusterUid) return undefined;
  const { id, projectId = '' } = record;
  const owners = id === undefined ? [] : claims.claimantsOf(kind, projectId, id);
  const rival = owners.find(({ uid }) => uid !== metadata.uid);
  return rival ? { state: 'contested', rival } : { state: 'ours' };
}

/** The entry of another object, which only the annotation names, is not taken over from an accepted cluster either. */
function ofAnotherCluster(
  { own, pointed, earlier }: Traces,
  { clusterUid, options: { acceptedClusters } }: Known,
): Claim | undefined {
  const foreign = [own, pointed, ...earlier].find(
    (entry) => entry !== undefined && entry.content?.clusterUid !== clusterUid,
  );
  if (!foreign) return undefined;
  const cluster = foreign.content?.clusterUid ?? '';
  if (!acceptedClusters.includes(cluster)) return { state: 'elsewhere', clusterUid: cluster };
  return foreign === own || earlier.includes(foreign)
    ? { state: 'rebind', entry: foreign.metadata.name }
    : undefined;
}

function leftByEarlierObject({ pointed, earlier }: Traces): Claim | undefined {
  return pointed && earlier.includes(pointed)
    ? { state: 'rebind', entry: pointed.metadata.name }
    : undefined;
}

function newOrDecided({ object, pointer, known: { id } }: Traces): Claim | undefined {
  const isNew = id === undefined && pointer === undefined;
  return isNew || isDecided(object, id) ? { state: 'ours' } : undefined;
}

function copied({ object, pointed, known }: Traces, { claims }: Known): Claim | undefined {
  const { id, projectId = '', object: { uid } = {} } = pointed?.content ?? {};
  if (id === undefined || known.id !== undefined) return undefined;
  const original = claims.claimantsOf(object.kind, projectId, id).find((each) => each.uid === uid);
  return original && { state: 'copied', original };
}

function unbound({ known }: Traces, why: string): Unbound {
  return { state: 'unbound', why, ...known };
}

/** The resource in the entry that the annotation names. Readers of a status must not learn an id of another namespace. */
function pointedIdOf({ object: { kind, metadata }, pointed }: Traces): string | undefined {
  const content = pointed?.content;
  return content?.object.kind === kind && content.object.namespace === metadata.namespace
    ? content.id
    : undefined;
}

/** Whether a user named the resource for the object, or requested another resource than before. */
function isDecided(object: ManagedObject, id: string | undefined): boolean {
  const { annotations: texts = {}, deletionTimestamp } = object.metadata;
  if (deletionTimestamp) return false;
  const declined = texts[annotations.createAnyway]?.split(',') ?? [];
  return externalIdIn(object) !== undefined || (id !== undefined && declined.includes(id));
}

function whyUnbound({ own, pointed, pointer }: Traces): string {
  if (own) return `the ledger entry ${own.metadata.name} is about no resource`;
  if (pointed) return `${annotations.ledger} names the entry of another object (${pointer})`;
  return `the ledger has no entry ${pointer ?? 'of this object'}, or it lost its label ${ledgerLabel}`;
}
