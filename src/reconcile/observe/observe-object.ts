import type { ResourceRecord } from '../../resources/ledger-entry.ts';
import { entryName, recordOf, resourceHash } from '../ledger/entry.ts';
import { hasResource } from '../ledger/record.ts';
import { leftEntries, leftoversOf } from './earlier-objects.ts';
import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { decidingProblem } from '../../resources/stored-object.ts';
import { hasFinalizer, keyOf } from '../../runtime/index.ts';
import type { View } from '../wiring/context.ts';
import { effectWithinMs, isDeletionStarted, ownStatus, writtenAt } from '../situation/history.ts';
import { memoryAbout, type Remembered } from '../wiring/memory.ts';
import { keyStateOf, type Account, type ObservedAccount } from '../credentials/accounts.ts';
import type {
  LastOperation,
  Learned,
  Leftover,
  ObjectFacts,
  RuleOptions,
} from '../situation/situation.ts';
import { isRetained } from '../situation/options.ts';
import { claimOf } from './claim.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { rulesOfNamespace } from '../../resources/namespace-rules.ts';
import { joinedRules, rulesInSpec } from '../../resources/change-rules.ts';

/** An object before the cloud is observed: its facts, and the means for the observation. */
export interface ObservedObject extends ObjectFacts {
  readonly live: ObservedAccount;
  /** The account, if its key may be used for the object. */
  readonly usable: Account | undefined;
  /** The memory about the object's resource. */
  readonly memory: Remembered;
  /** Lists must have begun after this policy time; 0: any list is new enough. */
  readonly notBefore: number;
}

/** The facts alone. */
export function factsOf({
  live: _live,
  usable: _usable,
  memory: _memory,
  notBefore: _notBefore,
  ...facts
}: ObservedObject): ObjectFacts {
  return facts;
}

/**
 * Reads the parts of a situation that all kinds share, before the cloud is observed: ledger entry,
 * claim, key and memory. It calls the cloud only to prove the key. An object that is not
 * bound, or whose release needs no call, uses no key.
 * @param noun the kind in messages, such as `service`
 */
export async function observeObject(
  object: ManagedObject,
  noun: string,
  context: View,
): Promise<ObservedObject> {
  const now = context.clock.now();
  const { metadata, spec, status } = object;
  const record = recordOf(object, context.caches);
  const memory = memoryAbout(context.memory.known(object.kind, keyOf(object)), record.id);
  const look = { now, learned: { firstSeen: new Map(memory.firstSeen) } };
  const hasNothing = !hasResource(record);
  const claim = claimOf(object, context);
  const lastOperation = lastOperationOf(
    { status: ownStatus({ object, record }) },
    memory.accepted,
    look,
  );
  const isLeft = needsNoCloud({ object, record, lastOperation }, context.options);
  // A suspended object is still observed if it has a resource.
  const isOfUse = spec.suspend === true ? record.id !== undefined : !isLeft;
  const asks = claim.state === 'ours' && !decidingProblem(object.problems) && isOfUse;
  const live: ObservedAccount = asks ? await context.accounts.of(object) : { state: 'notAsked' };
  const key = live.state === 'usable' ? live.account : undefined;
  const { requestedVisit, notBefore } = newness(object, lastOperation, memory, now);
  const isNewRequest =
    requestedVisit !== undefined && requestedVisit.text !== memory.requestedVisit?.text;
  const refusals = isNewRequest ? new Map<never, never>() : memory.refusals;
  const pinnedProject = hasNothing ? undefined : record.projectId;
  return {
    noun,
    leftovers: hasNothing
      ? [...ownBefore(object), ...leftoversOf(object, key?.projectId, context)]
      : [],
    leftEntries: leftEntriesOf(object, record, context),
    object,
    memory,
    now,
    wallTime: context.clock.wallTime(),
    rules: joinedRules(
      rulesInSpec(object),
      rulesOfNamespace(metadata.namespace, context.caches.namespaceOf(metadata.namespace)),
    ),
    options: context.options,
    refusals,
    removedAnnotations: memory.removedAnnotations,
    record,
    hasPointer: metadata.annotations?.[annotations.ledger] === entryName(object),
    hasFinalizer: hasFinalizer({ metadata }, cloudResourceFinalizer),
    claim,
    live,
    account: keyStateOf(live),
    pinnedProject,
    usable: isSameProject(pinnedProject, key) ? key : undefined,
    lastOperation,
    createFailedAt: requestedVisit
      ? undefined
      : status?.refusal && writtenAt(look, status.refusal.at),
    notBefore,
    learned: {
      ...look.learned,
      ...(requestedVisit ? { requestedVisit } : {}),
      ...(isNewRequest ? { refusals } : {}),
    },
  };
}

/**
 * Whether a deleted object is released without regard to the cloud: nothing was created, or the resource stays, and no process
 * decided to delete it.
 */
function needsNoCloud(
  observed: Pick<ObservedObject, 'object' | 'record' | 'lastOperation'>,
  options: RuleOptions,
): boolean {
  const { object, record } = observed;
  if (!object.metadata.deletionTimestamp || record.attempt) return false;
  if (record.id === undefined) return true;
  return (
    record.deletionStarted?.id !== record.id &&
    isRetained({ object, record, options, deletion: { started: isDeletionStarted(observed) } })
  );
}

/** Whether the key may be used for the object: its resource is in no known project, or in the project of the key. */
function isSameProject(pinned: string | undefined, key: Account | undefined): boolean {
  return pinned === undefined || pinned === key?.projectId;
}

/** The resource that the object itself had, by its status, before its ledger entry was lost. */
function ownBefore({ status }: ManagedObject): readonly Leftover[] {
  return status?.id === undefined ? [] : [{ id: status.id }];
}

/** The names of other entries about the resource of the object, whose objects are gone. Ledger entries of another cluster stay. */
function leftEntriesOf(
  object: ManagedObject,
  { id, projectId }: ResourceRecord,
  context: View,
): readonly string[] {
  if (id === undefined || projectId === undefined) return [];
  return leftEntries(object, resourceHash(object.kind, projectId, id), context).flatMap(
    ({ metadata, content }) => (content?.clusterUid === context.clusterUid ? [metadata.name] : []),
  );
}

/** From status, or from memory if the status write failed. */
export function lastOperationOf(
  { status }: { readonly status?: ManagedObject['status'] | undefined },
  own: Remembered['accepted'],
  look: Parameters<typeof writtenAt>[0],
): LastOperation | undefined {
  const written = status?.lastOperation;
  const isUnwritten =
    own !== undefined && (!written || Date.parse(own.at) > Date.parse(written.at));
  const last = isUnwritten ? own : written;
  return last && { ...last, at: writtenAt(look, last.at) };
}

/** Lists must be newer than a user's request, than an unclear answer, and than the effect time of an accepted DELETE. */
export function newness(
  { metadata, status }: ManagedObject,
  last: LastOperation | undefined,
  { requestedVisit: earlier, unclearAt = 0 }: Pick<Remembered, 'requestedVisit' | 'unclearAt'>,
  now: number,
): { readonly notBefore: number; readonly requestedVisit: Learned['requestedVisit'] | undefined } {
  const asked = metadata.annotations?.[annotations.requestedAt];
  const isAsked = asked !== undefined && asked !== status?.lastHandledReconcileAt;
  const requestedVisit = isAsked
    ? { text: asked, at: earlier?.text === asked ? earlier.at : now }
    : undefined;
  return {
    notBefore: Math.max(requestedVisit?.at ?? 0, unclearAt, afterEffect(last, now)),
    requestedVisit,
  };
}

/**
 * An accepted DELETE, never seen at work, counts as without effect only by an observation that began after its
 * time. Rounded up, since many objects share a second.
 */
function afterEffect(last: LastOperation | undefined, now: number): number {
  if (last?.operation !== 'delete' || last.wasBusy === true || now < last.at + effectWithinMs)
    return 0;
  return Math.ceil((last.at + effectWithinMs) / 1_000) * 1_000;
}
