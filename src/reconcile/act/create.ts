import { entryOf, recordOf, entryName, describeUnreadable } from '../ledger/entry.ts';
import { concluded, withoutAttempt } from '../ledger/record.ts';
import { attemptName, generatedName, mayBeNew, remainingMs } from '../ledger/attempt.ts';
import type { CallOptions, ProjectApi, CloudOperation } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/accounts.ts';
import type { BodyOf, CreateAction, CreateOperation, Creation, IdsOf } from '../step/step.ts';
import type { Connection } from '../step/connection.ts';
import { showFirstPassword } from './connection.ts';
import type { Context } from '../wiring/context.ts';
import { fenceAfterLook, sendFence } from './fence.ts';
import { reconcilers } from '../kinds/all.ts';
import type { Outcome } from '../step/outcome.ts';
import { isClaimedBesides } from '../wiring/claims.ts';
import {
  emptied,
  noPasswords,
  storeRecord,
  LedgerUnusable,
  readEntry,
  updateEntry,
  type PasswordChanges,
} from '../ledger/write-entry.ts';
import {
  keyOf,
  KubernetesError,
  patchStatus,
  referenceOf,
  backOffMs,
  systemClock,
  type KubernetesClient,
} from '../../runtime/index.ts';
import { forgetResource } from '../wiring/memory.ts';
import { holdObject, unlessChanged } from './patch-object.ts';
import {
  passwordKeys,
  recordIn,
  withRecord,
  type EntryContent,
  type LedgerEntry,
  type ResourceRecord,
  type Attempt,
} from '../../resources/ledger-entry.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { overtaken } from '../step/errors.ts';

interface Created {
  readonly id: string;
  readonly resource: { readonly name?: string | undefined };
  readonly password?: string | undefined;
  readonly direct?: Connection['direct'];
}

/** Creates a resource exactly once: records the attempt, sends it, then records the answer and stores its password. */
export async function create(
  action: CreateAction,
  object: ManagedObject,
  account: Account,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  // The wait comes first: an attempt that then waited for the rate limit would be too old to send.
  const refused = await orCloudError(
    account.limiter.acquire(action.creation.operation, 'edit', signal),
  );
  if (refused) return { type: 'failed', error: refused, object };
  const begunAt = performance.now();
  const attempt = newAttempt(action, context);
  const fence = sendFence(context.leadership, context.shard);
  const begun = { ...action.record, attempt };
  const { object: opened, entry } = await openAttempt(object, begun, context);
  const list = reconcilers[object.kind].list(account.observer, action.creation.ids[0]);
  const listed = list.latest?.listed;
  const options = { hasTurn: true, mayBeSent: fence, timeoutMs: remainingMs(begunAt) } as const;
  const answer = await orCloudError(
    send(account.project, action.creation, attemptName(attempt), options),
  );
  const isClaimed = isClaimedBesides(
    attempt,
    { kind: object.kind, projectId: account.projectId },
    context.claims,
  );
  const created = withNewId(
    action.creation.operation,
    answer,
    (id) => listed?.has(id) === true || !mayBeNew(attempt, id, isClaimed),
  );
  if (created instanceof CloudError) {
    // A refusal created nothing. After any other error the attempt stays open until lists show its result.
    if (created.changedNothing) await storeRecord(opened, withoutAttempt(begun), context);
    return { type: 'failed', error: created, object: opened, attempt: attempt.id };
  }
  const { id, password, direct } = created;
  const record = { ...concluded(begun, id, context.clock.now()), ...action.recordOnSuccess };
  const first =
    password === undefined
      ? undefined
      : action.firstPassword && { ...action.firstPassword, password };
  // An answer is recorded even during a shutdown or after the loss of the lease.
  const late = { ...context, kubernetes: context.recording };
  context.log.info(
    { object: referenceOf(object), id, projectId: account.projectId },
    `created ${object.kind} ${id}`,
  );
  try {
    await recordAnswer(
      object,
      entry,
      { id, write: (current) => contentAfter({ attempt, record, first }, current) },
      late,
    );
  } catch (error) {
    await leaveEvidence(opened, { id, projectId: account.projectId }, late);
    throw error;
  }
  if (begun.id !== undefined) forgetResource(context.memory.of(object.kind, keyOf(object)));
  if (first)
    await showFirstPassword(
      { ...first, id, projectId: account.projectId, direct },
      opened,
      context,
    );
  // The next visit sees the resource without a call.
  list.put(created.id, created.resource);
  return { type: 'done', object: opened };
}

/**
 * Prepares the request: the object gets its finalizer and its pointer, then the entry gets the attempt, then a live GET
 * shows that the object is unchanged. Kubernetes may have read the object for a DELETE before it had the finalizer.
 * @throws {KubernetesError | LedgerUnusable} when the request must not be sent; the attempt is closed then
 */
async function openAttempt(
  object: ManagedObject,
  begun: ResourceRecord & { readonly attempt: Attempt },
  context: Context,
): Promise<{ readonly object: ManagedObject; readonly entry: LedgerEntry }> {
  unlessChanged(object, context);
  const held = await holdObject(object, context);
  try {
    const entry = await storeRecord(held, begun, context);
    await fenceAfterLook(held, context, true);
    return { object: held, entry };
  } catch (error) {
    await closeUnsent(held, begun.attempt, context);
    throw error;
  }
}

/** This process knows that it sent nothing. If the write fails, the lists show it later. */
async function closeUnsent(
  object: ManagedObject,
  attempt: Attempt,
  context: Context,
): Promise<void> {
  const entry = entryOf(object, context.caches);
  const record = recordIn(entry);
  if (record.attempt?.id !== attempt.id) return;
  try {
    await storeRecord(object, withoutAttempt(record), context);
  } catch (error) {
    if (!(error instanceof KubernetesError)) throw error;
  }
}

/**
 * Writes the id of a resource that the ledger does not have into status. There it proves the create. Without it, an object
 * whose entry was removed by force would look new.
 */
async function leaveEvidence(
  object: ManagedObject,
  created: { readonly id: string; readonly projectId: string },
  context: Context,
) {
  if (recordOf(object, context.caches).id !== undefined) return;
  try {
    await patchStatus(
      context.kubernetes,
      typeOf(object),
      object,
      created,
      context.caches.of(object.kind),
    );
  } catch (error) {
    context.log.error(
      { object: referenceOf(object), ...created, error },
      'the status cannot name what the cloud created, either',
    );
  }
}

interface CreatedRecord {
  readonly attempt: Attempt;
  readonly record: ResourceRecord;
  readonly first: { readonly password: string; readonly requested: string | undefined } | undefined;
}

/**
 * The entry after a create: id and password in the same write. Undefined if another process has closed the
 * attempt: it may have set another password, or the object keeps a lost resource that the cloud shows again.
 */
function contentAfter(
  { attempt, record, first }: CreatedRecord,
  current: EntryContent,
): ReturnType<Answer['write']> {
  const isRecorded = current.id === record.id && current.hasPassword === (first !== undefined);
  if (current.attempt?.id !== attempt.id && !isRecorded) return undefined;
  const content = isRecorded ? current : withRecord(emptied(current), record);
  if (!first) return { content, passwords: isRecorded ? {} : noPasswords };
  const numbered = isRecorded
    ? content
    : { ...content, passwordNumber: content.passwordNumber + 1, hasPassword: true };
  const answered =
    first.requested === undefined ? numbered : { ...numbered, passwordFrom: first.requested };
  return {
    content: answered,
    passwords: { ...noPasswords, [passwordKeys.present]: first.password },
  };
}

function newAttempt(action: CreateAction, context: Context): Attempt {
  const id = context.newId();
  const name =
    action.name.kind === 'given' ? action.name.name : generatedName(action.name.prefix, id);
  const { operation, ids, body } = action.creation;
  const [on]: readonly string[] = ids;
  const where =
    on === undefined ? {} : { [operation === 'forkService' ? 'sourceId' : 'parentId']: on };
  return {
    id,
    at: new Date(context.clock.now()).toISOString(),
    request: { operation, ...where, ...body, name },
    sameNameIds: [...action.sameNameIds],
  };
}

type NewResource = Awaited<ReturnType<ProjectApi[CreateOperation]>>;
/** Every operation that creates a resource takes its ids first and its options last. */
type Operations = {
  readonly [O in CreateOperation]: (
    ...args: [...IdsOf<O>, BodyOf<O> & { name: string }, CallOptions]
  ) => Promise<NewResource>;
};

async function send<O extends CreateOperation>(
  project: Operations,
  creation: Creation<O>,
  name: string,
  options: CallOptions,
): Promise<Created> {
  const made = await project[creation.operation](
    ...creation.ids,
    { ...creation.body, name },
    options,
  );
  if (!('service_id' in made)) return { id: made.id, resource: made };
  const { initial_password: password, ...service } = made;
  return { id: service.service_id, resource: service, password, direct: service.endpoint };
}

/** Real time in which recording an answer is retried, even during a shutdown. */
const recordWithinMs = 20_000;
const pauses = { firstMs: 250, longestMs: 4_000 };

type Recorder = Pick<Context, 'caches' | 'log'> & {
  readonly kubernetes: Pick<KubernetesClient, 'get' | 'create' | 'patch' | 'delete'>;
};

export interface Answer {
  readonly id: string;
  /** The content of the entry and its passwords, from the present content; undefined if another process has closed the request. */
  readonly write: (
    current: EntryContent,
  ) => { readonly content: EntryContent; readonly passwords: PasswordChanges } | undefined;
}

export function recordChange(
  change: (record: ResourceRecord) => ResourceRecord | undefined,
): Answer['write'] {
  return (current) => {
    const record = change(recordIn({ content: current }));
    return record && { content: withRecord(current, record), passwords: {} };
  };
}

/** Records the cloud's answer in the entry. An id that cannot be recorded is at least logged. */
export async function recordAnswer(
  object: ManagedObject,
  entry: LedgerEntry,
  answer: Answer,
  context: Recorder,
): Promise<LedgerEntry> {
  try {
    return await keepRecording(object, entry, answer, context);
  } catch (error) {
    context.log.error(
      { object: referenceOf(object), id: answer.id, projectId: entry.content?.projectId, error },
      'the cloud created this for the object, and it could not be recorded: look whether anything names it',
    );
    throw error;
  }
}

async function keepRecording(
  object: ManagedObject,
  opened: LedgerEntry,
  answer: Answer,
  context: Recorder,
): Promise<LedgerEntry> {
  const deadline = performance.now() + recordWithinMs;
  for (let failures = 0; ; failures += 1) {
    try {
      const entry =
        failures === 0 ? opened : ((await readEntry(entryName(object), context)) ?? opened);
      if (!entry.content) throw new LedgerUnusable(describeUnreadable(entry));
      const next = answer.write(entry.content);
      if (!next) break;
      return await updateEntry(entry, next.content, next.passwords, context);
    } catch (error) {
      if (
        !(error instanceof KubernetesError) ||
        !mayEnd.has(error.kind) ||
        performance.now() > deadline
      )
        throw error;
      if (failures === 0 && error.kind !== 'conflict')
        context.log.warn(
          {
            object: referenceOf(object),
            id: answer.id,
            projectId: opened.content?.projectId,
            error: String(error),
          },
          'the id that the cloud created for the object cannot be recorded yet; the operator retries',
        );
      await systemClock.sleep(Math.max(backOffMs(failures, pauses, 0), error.retryAfterMs ?? 0));
    }
  }
  throw overtaken(`write ledger entry ${entryName(object)}`);
}

/** Errors that may end in time. Missing rights may: an upgrade of the chart removes rights before it grants new rights. */
const mayEnd: ReadonlySet<KubernetesError['kind']> = new Set([
  'conflict',
  'network',
  'timeout',
  'server',
  'tooManyRequests',
  'forbidden',
  'unauthorized',
]);

/**
 * The answer to a create, if it names a new resource. The cloud never reuses an id: a known id is of another
 * resource, and the result of the create stays open.
 * @param wasKnown whether the id was known when the create was sent
 */
export function withNewId<A extends { readonly id: string }>(
  operation: CloudOperation,
  answer: A | CloudError,
  wasKnown: (id: string) => boolean,
): A | CloudError {
  if (answer instanceof CloudError || !wasKnown(answer.id)) return answer;
  // Not its id: it may be another tenant's.
  return new CloudError({
    operation,
    kind: 'unreadable',
    sent: true,
    fromApi: false,
    field: 'it names a resource that was there before',
  });
}
