import { keyOf, KubernetesError, referenceOf, resourceKey } from '../../runtime/index.ts';
import type { Action } from '../step/action.ts';
import type { Account } from '../credentials/account.ts';
import { change } from './change.ts';
import { create } from './create.ts';
import { createPeering } from './create-peering.ts';
import { remove, startDeletion } from './delete.ts';
import { deletePeering } from './delete-peering.ts';
import { holdCredentials } from './hold-credentials.ts';
import { writeRecord } from './patch-object.ts';
import { dropConnection, moveConnection } from './move-connection.ts';
import { release } from './release.ts';
import { remakeConnection } from './remake-connection.ts';
import { setPassword } from './set-password.ts';
import { storeConnection } from './store-connection.ts';
import { watchPasswordSource } from './watch-password-source.ts';
import { refusedStep, SecretRefused } from '../connection/secret-refused.ts';
import type { Context } from '../process/context.ts';
import { isKept } from '../situation/deletion-policy.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import { hinderedBy, isOvertaken, overtakenBy } from '../step/kubernetes-trouble.ts';
import type { Accepted, Outcome } from '../step/outcome.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';

/** Carries a step out: at most one change in the cloud. What somebody else changed meanwhile is not fought but looked at again. */
export async function perform<S extends Situation>(
  kind: KindReconciler<S>,
  step: Step,
  situation: S,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  try {
    switch (step.type) {
      case 'call':
      case 'write':
        return await carryOut(kind, step.action, situation, context, signal);
      case 'release':
        tellOfRelease(situation, step.message, context);
        await release(situation, kind.secretOf(situation)?.name, keepsSecret(situation), context);
        return { type: 'nothing' };
      case 'wait':
      case 'stall':
      case 'done':
      case 'keep':
      case 'suspended':
        return { type: 'nothing' };
    }
  } catch (error) {
    if (error instanceof SecretRefused) return { type: 'stalled', object: situation.object, step: refusedStep(error), ...passwordIn(step) };
    if (isOvertaken(error)) return { type: 'overtaken', step: overtakenBy(error) };
    if (!(error instanceof KubernetesError) || error.kind === 'aborted') throw error;
    // An API server that is away is told once, and not by each object.
    context.log[error.kind === 'network' ? 'debug' : 'warn'](
      { object: referenceOf(situation.object), error: error.message },
      'Kubernetes did not take a write; it is tried again',
    );
    return { type: 'hindered', object: situation.object, step: hinderedBy(error), ...passwordIn(step) };
  }
}

/** The object goes with that: there is nothing left to write a status on. Until the cache knows it, a visit may come once more. */
function tellOfRelease({ object, identity }: Situation, message: string, { log, memory }: Context): void {
  if (memory.of(object.kind, keyOf(object)).releasedUid === object.metadata.uid) return;
  const id = identity.state === 'known' ? { id: identity.id } : {};
  log.info({ object: referenceOf(object), ...id }, message);
}

async function carryOut<S extends Situation>(
  kind: KindReconciler<S>,
  action: Action,
  situation: S,
  context: Context,
  signal: AbortSignal,
): Promise<Outcome> {
  const { object } = situation;
  switch (action.type) {
    case 'writeRecord':
      return { type: 'done', object: await writeRecord(object, action.record, context) };
    case 'adopt':
      return {
        type: 'done',
        object: await writeRecord(object, action.record, context),
        accepted: { operation: 'adopt', wanted: action.id },
      };
    case 'holdCredentials':
      if (situation.account.state === 'usable' && situation.account.secret) await holdCredentials(situation.account.secret, context);
      return { type: 'done', object };
    case 'create':
      return create(action, object, accountOf(situation), context, signal);
    case 'startDeletion':
      return { type: 'done', object: await startDeletion(action.id, situation, context) };
    case 'delete':
      return afterDelete(
        await remove(action.id, kind.parentIdOf(situation), situation, accountOf(situation), context),
        action.id,
        kind,
        situation,
        context,
      );
    case 'change':
      return change(action, object, accountOf(situation), context);
    case 'createPeering':
      return createPeering(action, situation, accountOf(situation), context, signal);
    case 'deletePeering':
      return deletePeering(action, object, accountOf(situation), context);
    case 'storeConnection':
      return storeConnection(action, object, context);
    case 'remakeConnection':
      return remakeConnection(action, object, context);
    case 'moveConnection':
      return moveConnection(action, object, context);
    case 'dropConnection':
      return dropConnection(action, object, context);
    case 'notePassword':
      return storeConnection(action, object, context, { passwordHandled: action.origin });
    case 'watchPasswordSource':
      await watchPasswordSource(resourceKey(object.metadata.namespace, action.source.name), context);
      return { type: 'done', object };
    case 'setPassword':
      return setPassword(action, object, accountOf(situation), context);
  }
}

/** What is gone, or said not to be there, is taken out of the snapshot: what the list still shows is old, and gets looked at again. The rest will go. */
function afterDelete<S extends Situation>(outcome: Outcome, id: string, kind: KindReconciler<S>, situation: S, context: Context): Outcome {
  const { object } = situation;
  const list = kind.listOf(situation);
  if (outcome.type === 'done') {
    if (object.kind === 'ManagedVpc') list?.remove(id); // a VPC goes at once
    else list?.expectRemoval(id);
  }
  if (outcome.type !== 'failed' || outcome.error.kind !== 'notFound') return outcome;
  context.memory.of(object.kind, keyOf(object)).notFoundOnDelete = { id, at: context.clock.now() };
  list?.remove(id);
  return { type: 'done', object: outcome.object, accepted: { operation: 'delete', wanted: id } };
}

function keepsSecret(situation: Situation): boolean {
  const { claim } = situation;
  return (claim.state !== 'ours' && claim.state !== 'restored') || isKept(situation);
}

function accountOf({ account }: Situation): Account {
  if (account.state !== 'usable') throw new Error(`a step was decided without credentials (${account.state})`);
  return account.account;
}

/** A password that finds no place is a change that was refused: the others go on. */
function passwordIn(step: Step): { readonly change?: Accepted } {
  const isPassword = step.type === 'call' && step.action.type === 'setPassword';
  return isPassword ? { change: { operation: 'updateServicePassword', wanted: step.action.origin } } : {};
}
