import { isConflict, KubernetesError, referenceOf, resourceKey } from '../../runtime/index.ts';
import type { ChangeAction, CloudAction, ClusterAction, Step } from '../step/step.ts';
import type { Account, ObservedAccount } from '../credentials/accounts.ts';
import { create } from './create.ts';
import { createPeering, deletePeering } from './peerings.ts';
import { remove } from './delete.ts';
import { fenceAfterLook } from './fence.ts';
import { send, type CallTarget } from './send.ts';
import { LedgerUnusable } from '../ledger/write-entry.ts';
import { holdCredentials, watchPasswordSource } from './user-secrets.ts';
import { isGovernedOperation } from '../decide/gate.ts';
import { dropAnnotations, holdObject, writeRecord } from './patch-object.ts';
import { adopt, dropEntries, rebind } from './bind-entry.ts';
import { release } from './release.ts';
import { setPassword } from './set-password.ts';
import { dropConnections, storeConnection } from './connection.ts';
import { SecretConflict } from '../connection/secret-refused.ts';
import type { Context } from '../wiring/context.ts';
import { failedWriteStep, conflictStep } from '../step/errors.ts';
import type { Outcome } from '../step/outcome.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import { orCloudError } from '../../cloud/cloud-error.ts';

/**
 * The object of a step, exactly in the version that was decided upon, and its account, which may be unusable. It is
 * apart from the step, which is printable data.
 */
export interface StepTarget {
  readonly object: ManagedObject;
  readonly account: ObservedAccount;
  /** Whether rules of users may hold changes of the object: then it is read live before such a change. */
  readonly hasRules: boolean;
}

const writes: ReadonlySet<Step['type']> = new Set(['call', 'write', 'release']);

/** Carries out a step, with at most a single change in the cloud. After a conflict with another writer, the next visit decides anew. */
export async function perform(
  step: Step,
  target: StepTarget,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  const { object } = target;
  try {
    // Another process may have got the object while this visit waited: Secrets are not locked to its version.
    if (context.shard && writes.has(step.type)) await fenceAfterLook(object, context);
    switch (step.type) {
      case 'call':
        return await changeCloud(step.action, target, context, signal);
      case 'write':
        return await changeCluster(step.action, object, context);
      case 'release':
        return await release(step, object, context);
      case 'wait':
      case 'stall':
      case 'done':
      case 'held':
      case 'keep':
      case 'suspended':
        return { type: 'nothing' };
    }
  } catch (error) {
    return outcomeOfError(error, step, object, context);
  }
}

/**
 * The outcome of a step that failed in Kubernetes.
 * @throws any other error, which has no message for users
 */
function outcomeOfError(
  error: unknown,
  step: Step,
  object: ManagedObject,
  context: Pick<Context, 'log'>,
): Outcome {
  // A password whose Secret is refused counts as a refused change, so that other changes continue.
  const action =
    step.type === 'call' && step.action.type === 'setPassword' ? step.action : undefined;
  const more = {
    object,
    ...(action && { change: { operation: 'updateServicePassword', wanted: action.origin } }),
  };
  if (error instanceof SecretConflict) return { type: 'stalled', step: error.step, ...more };
  if (error instanceof LedgerUnusable) return { type: 'writeFailed', step: error.step, ...more };
  if (isConflict(error)) return { type: 'conflict', step: conflictStep(error) };
  if (!(error instanceof KubernetesError) || error.kind === 'aborted') throw error;
  // An outage of the API server is logged once, not for each object. A terminating namespace needs no new Secret.
  const isExpected = error.kind === 'network' || error.namespaceTerminating;
  context.log[isExpected ? 'debug' : 'warn'](
    { object: referenceOf(object), error: error.message },
    'Kubernetes did not take a write; it is tried again',
  );
  return { type: 'writeFailed', step: failedWriteStep(error), ...more };
}

function changeCloud(
  action: CloudAction,
  { object, account: observed, hasRules }: StepTarget,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  const account = usable(observed);
  switch (action.type) {
    case 'create':
      return create(action, { object, account }, context, signal);
    case 'delete':
      return remove(action, object, account, context);
    case 'change':
      return change(action, { object, account, hasRules }, context);
    case 'createPeering':
      return createPeering(action, { object, account }, context, signal);
    case 'deletePeering':
      return deletePeering(action, object, account, context);
    case 'setPassword':
      return setPassword(action, object, account, context);
  }
}

async function changeCluster(
  action: ClusterAction,
  object: ManagedObject,
  context: Context,
): Promise<Outcome> {
  const keyIn = (name: string) => resourceKey(object.metadata.namespace, name);
  switch (action.type) {
    case 'writeRecord':
      return { type: 'done', object: await writeRecord(object, action.record, context) };
    case 'adopt':
      return adopt(action, object, context);
    case 'holdCredentials':
      await holdCredentials(keyIn(action.secret), context);
      return { type: 'done', object };
    case 'rebind':
      return rebind(action, object, context);
    case 'hold':
      return { type: 'done', object: await holdObject(object, context) };
    case 'dropEntries':
      return dropEntries(action, object, context);
    case 'dropAnnotations':
      return { type: 'done', object: await dropAnnotations(action, object, context) };
    case 'storeConnection':
      return storeConnection(action, object, context);
    case 'dropConnections':
      return dropConnections(action, object, context);
    case 'watchPasswordSource':
      await watchPasswordSource(keyIn(action.source.name), context);
      return { type: 'done', object };
  }
}

/** Sends a change to the cloud. An approval may have been revoked, and a spec reverted, since the decision. Until a list shows the new value, the acceptance in status makes the old value mean "in progress". */
async function change(
  { change: asked, from, wanted }: ChangeAction,
  { object, account, hasRules }: CallTarget & Pick<StepTarget, 'hasRules'>,
  context: Context,
): Promise<Outcome> {
  const looks = hasRules && isGovernedOperation(asked.operation);
  const requested = { operation: asked.operation, from, wanted };
  const error = await orCloudError(
    send(account.project, asked, await fenceAfterLook(object, context, looks)),
  );
  return error
    ? { type: 'failed', error, object, change: requested }
    : { type: 'done', object, accepted: requested };
}

function usable(account: ObservedAccount): Account {
  if (account.state !== 'usable')
    throw new Error(`a step was decided without credentials (${account.state})`);
  return account.account;
}
