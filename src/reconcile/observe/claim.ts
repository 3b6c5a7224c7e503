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

/** Whether this object may act on a resource: the first row that applies decides. Pure but for the caches. */
export function claimOf(object: ManagedObject, context: Known): Claim {
  const { caches, clusterUid, options, claims } = context;
  const { metadata, status, kind } = object;
  const own = entryOf(object, caches);
  const lost = status?.id === undefined ? context.evidence.lostBy(object) : undefined;
  const known = lost ?? status;
  const evidence = { id: known?.id, projectId: known?.projectId, asked: lost?.asked };
  const pointer = metadata.annotations?.[annotations.ledger];
  const target =
    pointer === undefined ? undefined : caches.ledger.entries.get(entryKey(pointer, caches));
  const earlier = caches.ledger
    .ofName(kind, keyOf(object))
    .filter((entry) => entry.content?.object.uid !== metadata.uid && !isReleased(entry));
  // An earlier object of this name is gone: two objects cannot have it at once.
  const leftover = earlier.find((entry) => entry.metadata.name === target?.metadata.name);
  if (own && !own.content) return { state: 'unbound', why: unreadable(own), ...evidence };

  const isOurs = ({ content }: LedgerEntry) => content?.clusterUid === clusterUid;
  const isAccepted = ({ content }: LedgerEntry) =>
    options.acceptedClusters.includes(content?.clusterUid ?? '');
  const record = recordIn(own);
  const { id, projectId = '' } = record;
  const isBound = hasResource(record) || known?.id === undefined;
  if (own && isBound && isOurs(own)) {
    const rival =
      id === undefined
        ? undefined
        : claims.claimantsOf(kind, projectId, id).find(({ uid }) => uid !== metadata.uid);
    return rival ? { state: 'contested', rival } : { state: 'ours' };
  }
  if (target && !target.content) return { state: 'unbound', why: unreadable(target), ...evidence };
  const foreign = [own, target, ...earlier]
    .filter((entry) => entry !== undefined)
    .find((entry) => !isOurs(entry));
  if (foreign && !isAccepted(foreign))
    return { state: 'elsewhere', clusterUid: foreign.content?.clusterUid ?? '' };
  if (foreign && (foreign === own || earlier.includes(foreign)))
    return { state: 'rebind', entry: foreign.metadata.name };
  if (leftover) return { state: 'rebind', entry: leftover.metadata.name };
  if (known?.id === undefined && pointer === undefined) return { state: 'ours' };
  if (isDecided(object, known?.id)) return { state: 'ours' };
  return {
    state: 'unbound',
    why: whyUnbound(pointer, own, target),
    ...evidence,
    pointedId: target && idFor(object, target),
  };
}

/** Readers of a status must not learn an id of another namespace. */
function idFor(
  { kind, metadata: { namespace } }: ManagedObject,
  { content }: LedgerEntry,
): string | undefined {
  return content?.object.kind === kind && content.object.namespace === namespace
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

function unreadable({ metadata: { name } }: LedgerEntry): string {
  return `ledger entry ${name} cannot be read`;
}

function whyUnbound(
  pointer: string | undefined,
  own: LedgerEntry | undefined,
  target: LedgerEntry | undefined,
): string {
  if (own) return `the ledger entry ${own.metadata.name} is about no resource`;
  if (target) return `${annotations.ledger} names the entry of another object (${pointer})`;
  return `the ledger has no entry ${pointer ?? 'of this object'}, or it lost its label ${ledgerLabel}`;
}
