import { annotations, cloudResourceFinalizer } from '../../resources/annotations.ts';
import { decidingProblem } from '../../resources/spec-problem.ts';
import { hasFinalizer, keyOf } from '../../runtime/index.ts';
import type { View } from '../process/context.ts';
import { entryOf, leftoversOf } from '../ledger/entry.ts';
import type { LastOperation } from '../situation/last-operation.ts';
import type { Remembered } from '../process/memory.ts';
import { writtenAt } from '../situation/learned.ts';
import { notBefore } from './not-before.ts';
import { recordOf } from '../process/known-record.ts';
import type { Attempt } from '../record/record.ts';
import type { Account, ObservedAccount } from '../credentials/account.ts';
import type { Identity, Situation } from '../situation/situation.ts';
import { isRetained, type RuleOptions } from '../situation/options.ts';
import { isDeletionStarted, ownStatus } from '../situation/recreation.ts';
import { claimOf } from './claim.ts';
import { countingRecord, identityOf, identityWhileCreating } from '../situation/identity.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

/** The parts of a situation that are derived from the others. */
export type Derived = 'state' | 'isAtRest' | 'environment' | 'list' | 'progressList' | 'pendingChanges';

/** The part of a situation that is known before the cloud is observed. */
export type ObservedObject = Omit<Situation, 'attempt' | 'cloud' | 'sameNames' | 'adoption' | 'deletion' | 'secret' | Derived> & {
  /** The create without an answer that is not resolved yet. */
  readonly openAttempt: Attempt | undefined;
  /** The account, if calls to the cloud are allowed. */
  readonly usable: Account | undefined;
  /** Lists must have begun after this policy time; 0: any list is new enough. */
  readonly notBefore: number;
};

export async function observeObject(object: ManagedObject, noun: string, context: View): Promise<ObservedObject> {
  const now = context.clock.now();
  const { metadata, spec, status } = object;
  const memory = context.memory.known(object.kind, keyOf(object));
  const look = { now, learned: { firstSeen: new Map(memory.firstSeen), requested: new Map(memory.requested) } };
  const { isLost, ...read } = recordOf(object, memory);
  const written = read.state === 'read' ? read.record : {};
  const inLedger = entryOf(object, context.caches)?.content;
  const { openAttempt, identity, idBeside } = identityWhileCreating(written, identityOf(read, object, inLedger), object);
  const claim = claimOf(
    object,
    { identity, record: written, idInLedger: inLedger?.id },
    context.clusterUid,
    context.options,
    context.claims,
  );
  // A suspended object is still observed if it has a resource.
  const mayAsk = claim.state !== 'another' && claim.state !== 'undecided' && !decidingProblem(object.problems);
  const isFree = !isLost && spec.suspend !== true && isLetGo({ object, record: written, identity, openAttempt }, context.options);
  const asks = mayAsk && !isFree && (spec.suspend !== true || identity.state === 'known');
  const account = asks ? await context.accounts.of(object) : ({ state: 'notAsked' } as const);
  const record = countingRecord(written, identity, object);
  const text = metadata.annotations?.[annotations.record];
  const isSound = text !== undefined && !isLost && identity.state !== 'conflict' && claim.state === 'ours';
  const lastOperation = lastOperationOf({ status: ownStatus({ object, identity }) }, memory.accepted, look);
  const { requestedVisit, ...newness } = notBefore(object, lastOperation, memory, now);
  const pinnedProject = pinnedBy(record.projectId, identity, openAttempt);
  return {
    noun,
    leftovers: identity.state === 'none' && !openAttempt ? leftoversOf(object, projectOf(account), context) : [],
    object,
    now,
    options: context.options,
    clusterUid: context.clusterUid,
    refusals: memory.refusals,
    record,
    hasRecord: read.state !== 'none',
    isRecordLost: isLost,
    hasFinalizer: hasFinalizer({ metadata }, cloudResourceFinalizer),
    identity,
    idBeside,
    claim,
    account,
    openAttempt,
    pinnedProject,
    usable: account.state === 'usable' && isSameProject(pinnedProject, account.account) ? account.account : undefined,
    lastOperation,
    createFailedAt: status?.refusal && writtenAt(look, status.refusal.at),
    ...newness,
    learned: {
      ...look.learned,
      ...(isSound ? { record: { uid: metadata.uid, text } } : {}),
      ...(requestedVisit ? { requestedVisit } : {}),
    },
  };
}

/** Whether a deleted object is released without a look at the cloud, which may not answer: nothing was created, or the resource stays. */
function isLetGo({ object, record, identity, openAttempt }: Pick<ObservedObject, KnownHere>, options: RuleOptions): boolean {
  if (!object.metadata.deletionTimestamp || openAttempt) return false;
  if (identity.state !== 'known' || identity.by !== 'record') return identity.state === 'none';
  return isRetained({ object, options, deletion: { started: isDeletionStarted(identity.id, object, record) } });
}

type KnownHere = 'object' | 'record' | 'identity' | 'openAttempt';

function projectOf(account: ObservedAccount): string | undefined {
  return account.state === 'usable' ? account.account.projectId : undefined;
}

/** The project that the object is bound to: it has, or may have, a resource there. A failed create binds to no project. */
function pinnedBy(recorded: string | undefined, identity: Identity, openAttempt: Attempt | undefined): string | undefined {
  if (identity.state === 'known') return recorded ?? identity.projectId;
  return openAttempt && recorded;
}

function isSameProject(pinned: string | undefined, account: Account): boolean {
  return pinned === undefined || pinned === account.projectId;
}

/** From status, or from memory if the status write failed. */
export function lastOperationOf(
  { status }: { readonly status?: ManagedObject['status'] | undefined },
  own: Remembered['accepted'],
  look: Parameters<typeof writtenAt>[0],
): LastOperation | undefined {
  const written = status?.lastOperation;
  const isUnwritten = own !== undefined && (!written || Date.parse(own.at) > Date.parse(written.at));
  const last = isUnwritten ? own : written;
  return last && { ...last, at: writtenAt(look, last.at) };
}
