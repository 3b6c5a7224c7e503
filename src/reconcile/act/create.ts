import { completeEndpoint } from '../../cloud/wire/endpoint.ts';
import { recordOf } from '../ledger/entry.ts';
import { concluded, withoutAttempt } from '../ledger/record.ts';
import { attemptName, generatedName, mayBeNew, remainingMs } from '../ledger/attempt.ts';
import type { CallOptions, ProjectApi } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/accounts.ts';
import type { BodyOf, CreateAction, CreateOperation, Creation, IdsOf } from '../step/step.ts';
import type { Connection } from '../step/connection.ts';
import { showFirstPassword } from './connection.ts';
import type { Context } from '../wiring/context.ts';
import { sendFence } from './fence.ts';
import type { CallTarget } from './send.ts';
import { reconcilers } from '../kinds/all.ts';
import type { Outcome } from '../step/outcome.ts';
import { isClaimedBesides } from '../wiring/claims.ts';
import { emptied, LedgerUnusable, noPasswords, storeRecord } from '../ledger/write-entry.ts';
import { KubernetesError, patchStatus, referenceOf } from '../../runtime/index.ts';
import { addFinalizer, holdObject, unlessChanged } from './patch-object.ts';
import {
  passwordKeys,
  withRecord,
  type EntryContent,
  type LedgerEntry,
  type ResourceRecord,
  type Attempt,
} from '../../resources/ledger-entry.ts';
import { typeOf, type ManagedObject } from '../../resources/managed-object.ts';
import { type Answer, recordAnswer, withNewId } from './record-answer.ts';

interface Created {
  readonly id: string;
  readonly resource: { readonly name?: string | undefined };
  readonly password?: string | undefined;
  readonly direct?: Connection['direct'];
}

/** Creates a resource exactly once: records the attempt, sends it, then records the answer and stores its password. */
export async function create(
  action: CreateAction,
  { object, account }: CallTarget,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  // The wait comes first: an attempt that then waited for the rate limit would be too old to send.
  const refused = await orCloudError(
    account.limiter.acquire(action.creation.operation, 'edit', signal),
  );
  if (refused) return { type: 'failed', error: refused, object };
  const request = await openRequest(action, object, context);
  const created = await sendRequest(request, account, context);
  if (created instanceof CloudError) return afterFailure(created, request, context);
  const { id, direct } = created;
  const first = firstPasswordOf(created, action);
  await recordCreated({ id, first }, request, account, context);
  const { projectId } = account;
  if (first) await showFirstPassword({ ...first, id, projectId, direct }, request.object, context);
  // The next visit sees the resource without a call.
  listOf(request, account).put(id, created.resource);
  return { type: 'done', object: request.object };
}

/** A create that is recorded, and may be sent. */
interface OpenRequest {
  readonly action: CreateAction;
  /** The object as the API server last returned it. */
  readonly object: ManagedObject;
  readonly entry: LedgerEntry;
  readonly attempt: Attempt;
  /** The record with the attempt. */
  readonly record: ResourceRecord;
  /** The start of the attempt on the steady clock, in milliseconds of real time. */
  readonly begunAt: number;
  readonly mayBeSent: () => boolean;
}

type FirstPassword = NonNullable<CreateAction['firstPassword']> & { readonly password: string };

async function openRequest(
  action: CreateAction,
  object: ManagedObject,
  context: Context,
): Promise<OpenRequest> {
  const begunAt = performance.now();
  const attempt = newAttempt(action, context);
  const mayBeSent = sendFence(context.leadership, context.shard);
  const record = { ...action.record, attempt };
  const opened = await openAttempt(object, record, context);
  return { action, ...opened, attempt, record, begunAt, mayBeSent };
}

/** Sends the request. The answer is an error if it names a resource that was there before. */
async function sendRequest(
  request: OpenRequest,
  account: Account,
  { claims }: Context,
): Promise<Created | CloudError> {
  const { action, attempt, begunAt, mayBeSent } = request;
  const listed = listOf(request, account).latest?.listed;
  const answer = await orCloudError(
    send(account.project, action.creation, attemptName(attempt), {
      hasTurn: true,
      mayBeSent,
      timeoutMs: remainingMs(begunAt),
    }),
  );
  const place = { kind: request.object.kind, projectId: account.projectId };
  const isClaimed = isClaimedBesides(attempt, place, claims);
  const wasKnown = (id: string) => listed?.has(id) === true || !mayBeNew(attempt, id, isClaimed);
  return withNewId(action.creation.operation, answer, wasKnown);
}

/** A refusal created nothing. After any other error the attempt stays open until lists show its result. */
async function afterFailure(
  error: CloudError,
  { object, record, attempt }: OpenRequest,
  context: Context,
): Promise<Outcome> {
  if (error.changedNothing) {
    context.evidence.noteMadeNothing(object, attempt);
    await storeRecord(object, withoutAttempt(record), context);
  }
  return { type: 'failed', error, object, attempt: attempt.id };
}

function firstPasswordOf(
  { password }: Created,
  { firstPassword }: CreateAction,
): FirstPassword | undefined {
  return password === undefined ? undefined : firstPassword && { ...firstPassword, password };
}

/** Records id and password of the new resource, even during a shutdown or after the loss of the lease. */
async function recordCreated(
  { id, first }: { readonly id: string; readonly first: FirstPassword | undefined },
  { action, object, entry, attempt, record: begun }: OpenRequest,
  { projectId }: Account,
  context: Context,
): Promise<void> {
  const record = { ...concluded(begun, id, context.clock.now()), ...action.recordOnSuccess };
  const late = { ...context, kubernetes: context.recording };
  context.log.info({ object: referenceOf(object), id, projectId }, `created ${object.kind} ${id}`);
  const write: Answer['write'] = (current) => contentAfter({ attempt, record, first }, current);
  try {
    await recordAnswer(object, entry, { id, write }, late);
  } catch (error) {
    await leaveEvidence(object, attempt, { id, projectId }, late);
    throw error;
  }
}

/** The list that shows the new resource. */
function listOf({ object, action }: OpenRequest, { observer }: Account) {
  return reconcilers[object.kind].list(observer, action.creation.ids[0]);
}

/**
 * Prepares the request, in an order in which a death at any point leaves no doubt:
 * 1. The object gets its finalizer, so a deletion waits.
 * 2. The entry gets the attempt.
 * 3. The object gets the pointer, which proves that there was an entry. This patch is locked to the version of the first
 *    step, so it also shows that the object is still there: Kubernetes may have read the object for a DELETE before it had
 *    the finalizer.
 * @throws {KubernetesError | LedgerUnusable} when the request must not be sent; the attempt is closed then
 */
async function openAttempt(
  object: ManagedObject,
  begun: ResourceRecord & { readonly attempt: Attempt },
  context: Context,
): Promise<{ readonly object: ManagedObject; readonly entry: LedgerEntry }> {
  unlessChanged(object, context);
  const finalized = await addFinalizer(object, context);
  try {
    const entry = await storeRecord(finalized, begun, context);
    return { object: await holdObject(finalized, context), entry };
  } catch (error) {
    await closeUnsent(finalized, begun.attempt, context);
    throw error;
  }
}

/**
 * This process knows that it sent nothing. If the write fails, the lists show it later, and the process does not report
 * the attempt of a gone object.
 */
async function closeUnsent(
  object: ManagedObject,
  attempt: Attempt,
  context: Context,
): Promise<void> {
  context.evidence.noteMadeNothing(object, attempt);
  const record = recordOf(object, context.caches);
  if (record.attempt?.id !== attempt.id) return;
  try {
    await storeRecord(object, withoutAttempt(record), context);
  } catch (error) {
    if (!(error instanceof KubernetesError || error instanceof LedgerUnusable)) throw error;
  }
}

/**
 * Writes the id of a resource that the ledger does not have into status, so that the object names it when the entry was
 * removed by force. Not if another process has closed the attempt and bound the object: its id stays in status.
 */
async function leaveEvidence(
  object: ManagedObject,
  attempt: Attempt,
  created: { readonly id: string; readonly projectId: string },
  context: Context,
) {
  const record = recordOf(object, context.caches);
  if (record.id !== undefined && record.attempt?.id !== attempt.id) return;
  context.evidence.noteLost(object, created);
  try {
    await patchStatus(context.kubernetes, typeOf(object), {
      object,
      difference: created,
      cache: context.caches.of(object.kind),
    });
  } catch (error) {
    context.log.error(
      { object: referenceOf(object), ...created, error },
      'the status cannot name what the cloud created, either',
    );
    const { id, projectId } = created;
    const message = `${id} in project ${projectId} was created for this object, and neither ledger nor status can keep its id: it may cost money`;
    context.events.record(object, { type: 'Warning', reason: 'Abandoned', message });
  }
}

interface CreatedRecord {
  readonly attempt: Attempt;
  readonly record: ResourceRecord;
  readonly first: { readonly password: string; readonly requested: string | undefined } | undefined;
}

/**
 * The entry after a create: id and password in the same write. Undefined if another process has closed the attempt: it may
 * have set another password, or the object keeps a lost resource that the cloud shows again.
 */
function contentAfter(
  { attempt, record, first }: CreatedRecord,
  current: EntryContent,
): ReturnType<Answer['write']> {
  if (current.attempt?.id !== attempt.id) return undefined;
  const recorded = withRecord(emptied(current), record);
  if (!first) return { content: recorded, passwords: noPasswords };
  const { password, requested } = first;
  return {
    content: {
      ...recorded,
      passwordNumber: recorded.passwordNumber + 1,
      hasPassword: true,
      ...(requested !== undefined && { passwordFrom: requested }),
    },
    passwords: { ...noPasswords, [passwordKeys.present]: password },
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
type CreateOperations = {
  readonly [O in CreateOperation]: (
    ...args: [...IdsOf<O>, BodyOf<O> & { name: string }, CallOptions]
  ) => Promise<NewResource>;
};

async function send<O extends CreateOperation>(
  project: CreateOperations,
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
  return {
    id: service.service_id,
    resource: service,
    password,
    direct: completeEndpoint(service.endpoint),
  };
}
