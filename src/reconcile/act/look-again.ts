import { keep, wait, type Step } from '../step/step.ts';
import { isDeepStrictEqual } from 'node:util';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Observation } from '../observe/sources.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';

/**
 * Whether a DELETE is about to be decided that the cloud's environment alone permits: the spec says nothing about the
 * protection, and an old list may not show that the environment is PROD by now.
 */
function dependsOnEnvironment(step: Step, { object, deletion, cloud }: Situation): boolean {
  const { spec } = object;
  const isOpen =
    object.kind === 'ManagedService' &&
    spec.deletionProtection === undefined &&
    (!('environment' in spec) || spec.environment === undefined);
  const isDelete = step.type === 'call' && step.action.type === 'delete';
  return isDelete && isOpen && !deletion.started && cloud.state === 'present';
}

/**
 * Reads the resource alone right before a change. (docs/safety.md, Changing) A failed read is reported at once.
 * @returns undefined if the step may be carried out; otherwise the answer is in the snapshot, and the next
 * visit decides anew
 */
export async function lookAgain<S extends Situation>(
  kind: Pick<KindReconciler<S>, 'reread' | 'situationOf'>,
  step: Step,
  situation: S,
  { facts, sources: { account } }: Observation,
): Promise<Outcome | undefined> {
  const { noun } = situation;
  const isChange =
    step.type === 'call' && (step.action.type === 'change' || step.action.type === 'setPassword');
  const isDeletion = dependsOnEnvironment(step, situation);
  if (!(isChange || isDeletion) || account.state !== 'usable') return undefined;
  const now = kind.situationOf(await kind.reread(facts, account.account));
  const { cloud, state, pendingChanges, environment } = now;
  if (isDeletion && cloud.state !== 'unknown') {
    if (environment === situation.environment) return undefined;
    const message = `the ${noun} has the environment ${environment ?? 'none'} now: looking again`;
    return { type: 'conflict', step: keep(wait('Deleting', message)) };
  }
  if (cloud.state === 'unknown') {
    // The lists show the absence, too.
    if (isDeletion && cloud.error?.kind === 'notFound') return undefined;
    const unread = unreadableCloud(situation, cloud.error);
    return { type: 'conflict', step: cloud.error ? unread.delayedReport : unread };
  }
  if (isDeepStrictEqual([state, pendingChanges], [situation.state, situation.pendingChanges]))
    return undefined;
  const message = `the list of the cloud shows another ${noun} than a read of it alone, each time: ask the cloud's support; tried again by itself`;
  return { type: 'conflict', step: keep(wait('WaitingForCloud', message)) };
}
