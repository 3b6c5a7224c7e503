import { entryOf, isReleased, objectOfEntry, type EntryObject } from '../ledger/entry.ts';
import { keyOf, referenceOf, type Shard } from '../../runtime/index.ts';
import { ownerText } from '../connection/projection.ts';
import type { Context } from '../wiring/context.ts';
import type { Lost } from '../wiring/evidence.ts';
import { onDelete } from '../situation/options.ts';
import { recordIn } from '../../resources/ledger-entry.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';
import { hasReason } from '../../resources/condition.ts';

type Dependencies = Pick<
  Context,
  'caches' | 'claims' | 'clusterUid' | 'events' | 'log' | 'evidence' | 'options'
> & {
  readonly shard?: Pick<Shard, 'isAnothers'> | undefined;
};

/**
 * Reports each resource that an object leaves in the cloud from now on without a decision of the operator: the object is
 * removed, or the answer to its create is recorded after its removal.
 * @param count is called for each object, with its kind
 */
export function reportAbandoned(context: Dependencies, count: (kind: Kind) => void): void {
  const { caches, events, log } = context;
  const tell = (object: EntryObject, { id, projectId }: Lost) => {
    const remedy = `delete it there, or apply the object again with managed-db.io/external-id=${id}`;
    const message = `${ownerText(object)} is gone without its deletion in the cloud: ${id} in project ${projectId} may still cost money; ${remedy}`;
    count(object.kind);
    log.warn({ object: referenceOf(object), id, projectId, reason: 'Abandoned' }, message);
    events.record(object, { type: 'Warning', reason: 'Abandoned', message });
  };
  const tellRetained = (object: ManagedObject, { id, projectId }: Lost) => {
    const advice = `annotate an object with managed-db.io/external-id=${id} to manage it again`;
    const message = `${id} in project ${projectId} stays in the cloud; ${advice}`;
    log.info({ object: referenceOf(object), id, projectId, reason: 'Retained' }, message);
    events.record(object, { type: 'Normal', reason: 'Retained', message });
  };
  for (const cache of caches.ofAllKinds) {
    cache.onChange(({ type, object }) => {
      // Each process reports an object that no process worked: rather several reports than none.
      if (type !== 'deleted' || context.shard?.isAnothers(object)) return;
      const left = leftBy(object, context);
      if (!left) return;
      if (left.asked !== undefined) {
        count(object.kind);
        reportUnanswered(object, left, context);
      } else if (
        onDelete(object, undefined, { options: context.options, rules: undefined }) === 'Retain'
      )
        tellRetained(object, left);
      else tell(object, left);
    });
  }
  caches.ledger.entries.onChange(({ type, object: entry, previous, own }) => {
    const { id, projectId } = recordIn(entry);
    const isNew = type !== 'deleted' && id !== undefined && id !== recordIn(previous).id;
    if (!isNew || projectId === undefined) return;
    // Only the process that recorded the answer reports it. The event of its write may come before the reply.
    if (!own && !caches.ledger.isExpected(entry)) return;
    const owner = objectOfEntry(entry);
    if (owner && caches.of(owner.kind).get(keyOf(owner))?.metadata.uid !== owner.metadata.uid)
      tell(owner, { id, projectId });
  });
}

/** Reports a create of an object that is gone: no visit looks for its result any more. */
export function reportUnanswered(
  owner: EntryObject,
  { asked = '', projectId }: Lost,
  { events, log }: Pick<Context, 'events' | 'log'>,
): void {
  const create = `its create of "${asked}" in project ${projectId} has no answer`;
  const message = `${ownerText(owner)} is gone, and ${create}: look for it in the cloud, where it may cost money`;
  log.warn({ object: referenceOf(owner), projectId, reason: 'Abandoned' }, message);
  events.record(owner, { type: 'Warning', reason: 'Abandoned', message, isLasting: true });
}

/**
 * The resource that a deleted object left in the cloud, according to its ledger entry; undefined if the operator released
 * it. A create without an answer counts only if the ledger lost it: otherwise, the sweep of entries reports it.
 */
function leftBy(
  object: ManagedObject,
  { caches, claims, clusterUid, evidence }: Dependencies,
): Lost | undefined {
  const { kind, metadata, status } = object;
  const entry = entryOf(object, caches);
  // The operator deletes the entry before it takes its finalizer off.
  if (entry && (isReleased(entry) || entry.content?.clusterUid !== clusterUid)) return undefined;
  // An object that disappears together with its entry, without a deletion, is missing from a restored backup of
  // etcd.
  const shown = metadata.deletionTimestamp ? {} : { id: status?.id, projectId: status?.projectId };
  const lost = entry ? undefined : evidence.lostBy(object);
  const { id, projectId } = entry ? recordIn(entry) : (lost ?? shown);
  if (id === undefined || projectId === undefined || claims.ownerOf(kind, projectId, id))
    return undefined;
  if (evidence.isReleased(object) || hasReason(object, 'Lost')) return undefined;
  return lost ?? { id, projectId };
}
