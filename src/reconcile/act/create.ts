import { entryOf } from '../record/own-entry.ts';
import type { CallOptions, ProjectApi } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/accounts.ts';
import type { BodyOf, CreateAction, CreateOperation, Creation, IdsOf } from '../step/action.ts';
import { generatedName, mayBeNew, remainingMs } from '../record/attempt.ts';
import type { Connection } from '../step/connection.ts';
import { showFirstPassword } from './first-password.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import { reconcilers } from '../kinds/all.ts';
import type { Outcome } from '../step/outcome.ts';
import { isClaimedBesides } from '../process/claims.ts';
import { concluded, withoutAttempt } from '../record/record-changes.ts';
import type { Attempt, ResourceRecord } from '../record/record.ts';
import { emptied, noPasswords, storeRecord } from '../ledger/write-entry.ts';
import { keyOf, KubernetesError, referenceOf } from '../../runtime/index.ts';
import { forgetResource } from '../process/memory.ts';
import { withNewId, recordAnswer, type Answer } from './record-created.ts';
import { writeRecord } from './patch-object.ts';
import { passwordKeys, recordIn, withRecord, type EntryContent } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

interface Created {
  readonly id: string;
  readonly resource: { readonly name?: string | undefined };
  readonly password?: string | undefined;
  readonly direct?: Connection['direct'];
}

/**
 * Creates a resource exactly once: records the attempt, sends it, then records the answer and stores its
 * password. After a crash at any point, record and lists let the next visit resolve the attempt.
 */
export async function create(
  action: CreateAction,
  object: ManagedObject,
  account: Account,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  // The permit comes first: an attempt that then waited for the rate limit would be too old to send.
  const permit = await orCloudError(account.limiter.acquire(action.creation.operation, 'edit', signal));
  if (permit instanceof CloudError) return { type: 'failed', error: permit, object };
  const begunAt = performance.now();
  const attempt = newAttempt(action, context);
  const fence = sendFence(context.leadership, context.shard);
  const begun = { ...action.record, attempt };
  let opened: ManagedObject;
  try {
    opened = await writeRecord(object, begun, context);
  } catch (error) {
    permit.release();
    await closeUnsent(object, attempt, context);
    throw error;
  }
  const entry = entryOf(object, context.caches);
  if (!entry) throw new Error('the ledger cache lacks an entry that was just written');
  const list = listIn(account, object, action);
  const listed = list.latest?.listed;
  const options = { permit, mayBeSent: fence, timeoutMs: remainingMs(begunAt) };
  const answer = await orCloudError(send(account.project, action.creation, attempt.name, options));
  const isClaimed = isClaimedBesides(attempt, { kind: object.kind, projectId: account.projectId }, context.claims);
  const created = withNewId(action.creation.operation, answer, (id) => listed?.has(id) === true || !mayBeNew(attempt, id, isClaimed));
  if (created instanceof CloudError) {
    // A refusal proves that the cloud created nothing. After any other error the attempt stays open until lists
    // show its result.
    if (created.changedNothing) await storeRecord(opened, withoutAttempt(begun), context);
    return { type: 'failed', error: created, object: opened, attempt: attempt.id };
  }
  const { id, password, direct } = created;
  const record = { ...concluded(begun, id, context.clock.now()), ...action.recordOnSuccess };
  const first = password === undefined ? undefined : action.firstPassword && { ...action.firstPassword, password };
  // An answer is recorded even during a shutdown or after the loss of the lease.
  const late = { ...context, kubernetes: context.recording };
  context.log.info({ object: referenceOf(object), id, projectId: account.projectId }, `created ${object.kind} ${id}`);
  await recordAnswer(object, entry, { id, write: (current) => contentAfter({ attempt, record, first }, current) }, late);
  if (begun.id !== undefined) forgetResource(context.memory.of(object.kind, keyOf(object)));
  if (first) await showFirstPassword({ ...first, id, projectId: account.projectId, direct }, opened, context);
  // The next visit sees the resource without a call.
  list.put(created.id, created.resource);
  return { type: 'done', object: opened };
}

/** This process knows that it sent nothing. If the write fails, the lists show it later. */
async function closeUnsent(object: ManagedObject, attempt: Attempt, context: Context): Promise<void> {
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
 * The entry after a create: id and password in the same write. Undefined if another process has closed the
 * attempt: it may have set another password, or the object keeps a lost resource that the cloud shows again.
 */
function contentAfter(
  {
    attempt,
    record,
    first,
  }: {
    readonly attempt: Attempt;
    readonly record: ResourceRecord;
    readonly first: { readonly password: string; readonly requested: string | undefined } | undefined;
  },
  current: EntryContent,
): ReturnType<Answer['write']> {
  const isRecorded = current.id === record.id && current.hasPassword === (first !== undefined);
  if (current.attempt?.id !== attempt.id && !isRecorded) return undefined;
  const content = isRecorded ? current : withRecord(emptied(current), record);
  if (!first) return { content, passwords: isRecorded ? {} : noPasswords };
  const numbered = isRecorded ? content : { ...content, passwordNumber: content.passwordNumber + 1, hasPassword: true };
  const answered = first.requested === undefined ? numbered : { ...numbered, passwordFrom: first.requested };
  return { content: answered, passwords: { ...noPasswords, [passwordKeys.present]: first.password } };
}

function newAttempt(action: CreateAction, context: Context): Attempt & { readonly name: string } {
  const id = context.newId();
  const name = action.name.kind === 'given' ? action.name.name : generatedName(action.name.prefix, id);
  const { operation, ids, body } = action.creation;
  const [on]: readonly string[] = ids;
  const where = on === undefined ? {} : { [operation === 'forkService' ? 'sourceId' : 'parentId']: on };
  return {
    id,
    at: new Date(context.clock.now()).toISOString(),
    request: { operation, ...where, ...body, name },
    sameNameIds: [...action.sameNameIds],
    name,
  };
}

export function listIn({ observer }: Pick<Account, 'observer'>, { kind }: ManagedObject, { creation }: Pick<CreateAction, 'creation'>) {
  return reconcilers[kind].list(observer, creation.ids[0]);
}

type NewResource = Awaited<ReturnType<ProjectApi[CreateOperation]>>;
/** Every operation that creates a resource takes its ids first and its options last. */
type Operations = {
  readonly [O in CreateOperation]: (...args: [...IdsOf<O>, BodyOf<O> & { name: string }, CallOptions]) => Promise<NewResource>;
};

async function send<O extends CreateOperation>(
  project: Operations,
  creation: Creation<O>,
  name: string,
  options: CallOptions,
): Promise<Created> {
  const made = await project[creation.operation](...creation.ids, { ...creation.body, name }, options);
  if (!('service_id' in made)) return { id: made.id, resource: made };
  const { initial_password: password, ...service } = made;
  return { id: service.service_id, resource: service, password, direct: service.endpoint };
}
