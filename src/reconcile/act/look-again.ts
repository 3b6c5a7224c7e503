import { keep, wait, type Step } from '../step/step.ts';
import { isDeepStrictEqual } from 'node:util';
import { unreadableCloud } from '../decide/unreadable-cloud.ts';
import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';

/**
 * Reads the resource alone right before a change. (docs/safety.md, Changing) A failed read is reported at once.
 * @returns undefined if the step may be carried out; otherwise the answer is in the snapshot, and the next
 * visit decides anew
 */
export async function lookAgain<S extends Situation>(
  { reread }: Pick<KindReconciler<S>, 'reread'>,
  step: Step,
  situation: S,
): Promise<Outcome | undefined> {
  const { account, noun } = situation;
  const isChange =
    step.type === 'call' && (step.action.type === 'change' || step.action.type === 'setPassword');
  if (!isChange || account.state !== 'usable') return undefined;
  const { cloud, state, pendingChanges } = await reread(situation, account.account);
  if (cloud.state === 'unknown') {
    const unread = unreadableCloud(situation, cloud.error);
    return { type: 'conflict', step: cloud.error ? unread.delayedReport : unread };
  }
  if (isDeepStrictEqual([state, pendingChanges], [situation.state, situation.pendingChanges]))
    return undefined;
  const message = `the list of the cloud shows another ${noun} than a read of it alone, each time: ask the cloud's support; tried again by itself`;
  return { type: 'conflict', step: keep(wait('WaitingForCloud', message)) };
}
