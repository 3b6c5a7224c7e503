import {
  entryName,
  entryOf,
  isReleased,
  objectOfEntry,
  resourceHash,
  type EntryObject,
} from '../ledger/entry.ts';
import { hasResource, withoutAttempt } from '../ledger/record.ts';
import { leftEntries } from '../observe/earlier-objects.ts';
import { referenceOf, resourceKey, unlessNotFound, type ResourceKey } from '../../runtime/index.ts';
import { otherSecrets } from '../connection/observe-connection.ts';
import { otherOwner } from '../connection/hand-over.ts';
import { isProjectionOf, isSecretName, ownerText } from '../connection/projection.ts';
import { annotations } from '../../resources/annotations.ts';
import {
  connectionAnnotations,
  isConnected,
  secretNameOf,
} from '../../resources/connection-secret.ts';
import { connectionSecrets, type WatchedSecret } from '../../resources/watched-secret.ts';
import { removeConnections } from './connection.ts';
import {
  deleteEntry,
  freeEntry,
  readEntry,
  startDeletingEntry,
  storeRecord,
  foundEntry,
} from '../ledger/write-entry.ts';
import { type LedgerEntry, recordIn } from '../../resources/ledger-entry.ts';
import type { Context } from '../wiring/context.ts';
import { lostCreate, type Lost } from '../wiring/evidence.ts';
import { reportUnanswered } from '../report/report-abandoned.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Fate, Step } from '../step/step.ts';
import { dropFinalizer } from './patch-object.ts';
import type { Kind, ManagedObject } from '../../resources/managed-object.ts';

/** Releases the object. A retained resource keeps its ledger entry and connection Secrets for an object that adopts it later. */
export async function release(
  { message, released }: Extract<Step, { type: 'release' }>,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const { id, projectId, fate } = released;
  const entry = await withoutVainAttempt(entryOf(object, context.caches), fate, object, context);
  const resource =
    id === undefined || projectId === undefined
      ? undefined
      : resourceHash(object.kind, projectId, id);
  // The ledger content of another cluster stays.
  let ends = entry?.content?.clusterUid === context.clusterUid;
  if (fate === 'gone') {
    await removeConnections(await secretsToRemove(object, resource, context), context);
    const left = resource === undefined ? [] : leftEntries(object, resource, context);
    for (const each of left)
      if (each.content?.clusterUid === context.clusterUid) await deleteEntry(each, context);
  }
  if (fate === 'retained' && id !== undefined) {
    ends = false;
    // With the mark of a deletion, an entry that a user deletes would count as an unneeded entry.
    const { deletionStarted, ...kept } = recordIn(entry);
    if (deletionStarted) await storeRecord(object, kept, context);
  }
  if (id !== undefined && (fate === 'retained' || fate === 'foreign')) {
    const advice =
      fate === 'retained'
        ? `; annotate an object with managed-db.io/external-id=${id} to manage it again`
        : '';
    const type = recordIn(entry).deletionStarted ? 'Warning' : 'Normal';
    context.events.record(object, {
      type,
      reason: 'Retained',
      message: `${message}: ${id} in project ${projectId}${advice}`,
    });
  }
  if (fate === 'retained' && entry?.content?.next) {
    const advice = `service ${id} was released while a password was in flight: an adoption in the same namespace completes the rotation; elsewhere, set spec.password`;
    const event = { type: 'Warning', reason: 'RotatingPassword', message: advice } as const;
    context.events.record(object, event);
  }
  const pointer = object.metadata.annotations?.[annotations.ledger];
  const isUnbound = fate === 'abandoned' || fate === 'foreign';
  if (!entry && (isUnbound || pointer === entryName(object))) {
    // Without an entry nothing is deleted in the cloud, so its absence is looked at live. An edit may have replaced the pointer.
    const live = await readEntry(entryName(object), context);
    if (live) throw foundEntry(live, context);
  }
  if (fate === 'abandoned') {
    context.events.record(object, { type: 'Warning', reason: 'Abandoned', message });
  }
  context.log.info({ object: referenceOf(object), ...(id === undefined ? {} : { id }) }, message);
  context.evidence.noteReleased(object);
  const ended = ends && entry ? await startDeletingEntry(entry, context) : undefined;
  // Another client may have removed the object.
  const dropped = await unlessNotFound(dropFinalizer(object, context));
  if (ended) await freeEntry(ended, context);
  return { type: 'released', object: dropped ?? object };
}

/**
 * The entry without its open create, if this create made nothing. If the release does not end, a later process finds the
 * entry without its object, and cannot know that.
 */
async function withoutVainAttempt(
  entry: LedgerEntry | undefined,
  fate: Fate,
  object: ManagedObject,
  context: Context,
): Promise<LedgerEntry | undefined> {
  const record = recordIn(entry);
  const isVain = record.attempt !== undefined && (fate === 'gone' || fate === 'retained');
  return isVain ? storeRecord(object, withoutAttempt(record), context, entry) : entry;
}

/**
 * The connection Secrets of an object whose resource is gone. No visit restores a label or annotation during the
 * deletion, so the names in spec and status are read live. A Secret stays unless the operator provably wrote it.
 */
async function secretsToRemove(
  object: ManagedObject,
  resource: string | undefined,
  context: Context,
): Promise<readonly WatchedSecret[]> {
  const secrets = [...otherSecrets(object, resource, context)];
  if (!isConnected(object)) return secrets;
  const { namespace } = object.metadata;
  const shown = object.status?.binding?.name;
  const known = new Set(secrets.map(({ metadata }) => metadata.name));
  for (const name of new Set([secretNameOf(object), shown])) {
    if (name === undefined || known.has(name) || !isSecretName(name)) continue;
    const secret = await context.kubernetes.get(connectionSecrets, resourceKey(namespace, name));
    if (!secret || otherOwner(secret, object, context)) continue;
    if (isProjectionOf(secret, object, resource)) secrets.push(secret);
    else if (name === shown) {
      const whose = secret.metadata.annotations?.[connectionAnnotations.owner];
      const why =
        whose === undefined || whose === ownerText(object)
          ? `, since it is not the Secret that the operator wrote: kubectl delete secret ${name} -n ${namespace}`
          : `: it was made for ${whose}`;
      const message = `Secret "${name}" stays${why}`;
      context.events.record(object, { type: 'Warning', reason: 'SecretConflict', message });
    }
  }
  return secrets;
}

/**
 * Deletes entries of earlier objects of this name that are about no resource, or were about to be deleted. Reports each create
 * without an answer: no visit looks for its result any more.
 */
export async function sweepEntries(kind: Kind, key: ResourceKey, context: Context): Promise<void> {
  for (const { entry, owner, lost } of sweepable(kind, key, context))
    if (lost) reportUnanswered(owner, lost, context);
    else await deleteEntry(entry, context);
}

/** Whether {@link sweepEntries} has work. */
export function hasSweepable(kind: Kind, key: ResourceKey, context: Swept): boolean {
  return sweepable(kind, key, context).length > 0;
}

type Swept = Pick<Context, 'caches' | 'clusterUid' | 'evidence'>;

/** An entry whose object is gone. */
interface Remains {
  readonly entry: LedgerEntry;
  readonly owner: EntryObject;
  /** The create without an answer, which must be reported. Undefined: the entry must end. */
  readonly lost: Lost | undefined;
}

function sweepable(
  kind: Kind,
  key: ResourceKey,
  { caches, clusterUid, evidence }: Swept,
): readonly Remains[] {
  return caches.ledger.ofName(kind, key).flatMap((entry): readonly Remains[] => {
    const owner = objectOfEntry(entry);
    if (entry.content?.clusterUid !== clusterUid || !owner) return [];
    const record = recordIn(entry);
    const { attempt, projectId = '' } = record;
    const isVain = attempt && evidence.madeNothing(owner, attempt);
    const isNeeded = hasResource(isVain ? withoutAttempt(record) : record);
    if (!isNeeded || isReleased(entry)) return [{ entry, owner, lost: undefined }];
    return attempt && !isVain ? [{ entry, owner, lost: lostCreate(attempt, projectId) }] : [];
  });
}
