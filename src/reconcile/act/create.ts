import type { CallOptions, ProjectApi } from '../../cloud/cloud-api.ts';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { Account } from '../credentials/account.ts';
import type { Action, BodyOf, CreateOperation, Creation, IdsOf } from '../step/action.ts';
import { generatedName, mayBeNew, remainingMs } from '../record/attempt.ts';
import type { Connection } from '../step/connection.ts';
import { openEntry, storeFirstPassword } from './first-password.ts';
import type { Context } from '../process/context.ts';
import { sendFence } from './fence.ts';
import { reconcilers } from '../kinds/all.ts';
import type { Outcome } from '../step/outcome.ts';
import { isClaimedBesides } from '../process/claims.ts';
import { concluded } from '../record/record-changes.ts';
import { createsIn, type Attempt } from '../record/record.ts';
import { withNewId } from './new-id.ts';
import { writeRecord } from './patch-object.ts';
import { recordCreated } from './record-created.ts';
import type { LedgerEntry } from '../../resources/ledger-entry.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';

export type CreateAction = Extract<Action, { type: 'create' }>;

/** The cloud's answer to a create. */
interface Created {
  readonly id: string;
  readonly resource: { readonly name?: string | undefined };
  readonly password?: string | undefined;
  readonly direct?: Connection['direct'];
}

/**
 * Creates a resource exactly once: records the attempt, sends it, then records the answer and stores its password. A crash at any point leaves enough in
 * record and lists for the next visit to resolve the attempt.
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
  const begun = performance.now();
  const attempt = newAttempt(action, account, context);
  const begunRecord = { ...action.record, attempt, creates: createsIn(action.record) + 1 };
  const fence = sendFence(context.leadership, context.shard);
  let opened: ManagedObject;
  let entry: LedgerEntry | undefined;
  try {
    entry = action.firstPassword && (await openEntry(object, context));
    opened = await writeRecord(object, begunRecord, context);
  } catch (error) {
    permit.release();
    throw error;
  }
  const list = listIn(account, object, action);
  const listed = list.latest?.listed;
  const options = { permit, mayBeSent: fence, timeoutMs: remainingMs(begun) };
  const answer = await orCloudError(send(account.project, action.creation, attempt.name, options));
  const isClaimed = isClaimedBesides(attempt, { kind: object.kind, projectId: account.projectId }, context.claims);
  const created = withNewId(action.creation.operation, answer, (id) => listed?.has(id) === true || !mayBeNew(attempt, id, isClaimed));
  if (created instanceof CloudError) return { type: 'failed', error: created, object: opened, attempt: attempt.id };
  // An answer is recorded even during a shutdown or after the loss of the lease.
  const late = { ...context, kubernetes: context.recording };
  const record = { ...concluded(begunRecord, created.id, context.clock.now()), ...action.recordOnSuccess };
  const recorded = await recordCreated(opened, attempt, record, late);
  const { id, password, direct } = created;
  if (entry && password !== undefined && action.firstPassword)
    await storeFirstPassword({ ...action.firstPassword, id, projectId: account.projectId, password, direct }, entry, recorded, context);
  // The next visit sees the resource without a call.
  list.put(created.id, created.resource);
  return { type: 'done', object: recorded };
}

function newAttempt(action: CreateAction, account: Account, context: Context): Attempt & { readonly name: string } {
  const id = context.newId();
  const name = action.name.kind === 'given' ? action.name.name : generatedName(action.name.prefix, id);
  const { operation, ids, body } = action.creation;
  const [on]: readonly string[] = ids;
  // As records of all versions name them.
  const where = on === undefined ? {} : { [operation === 'forkService' ? 'sourceId' : 'parentId']: on };
  return {
    id,
    at: new Date(account.cloudNow()).toISOString(),
    request: { operation, ...where, ...body, name },
    sameNameIds: [...action.sameNameIds],
    name,
  };
}

/** The list that will show the resource. */
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
