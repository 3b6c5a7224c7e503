import type { ReconcilingReason } from '../resources/condition.ts';
import type { CloudChange } from './cloud-change.ts';
import { settleMs } from './last-operation.ts';
import type { Rule } from './rule.ts';
import type { Situation } from './situation.ts';
import { call, stall, wait, type Step } from './step.ts';

/** Something that the spec names and the cloud does not show, and the step that brings it there. */
export interface Wish {
  /** What the user calls it: `size`, `environment`. */
  readonly name: string;
  readonly step: Step;
  /** What the cloud is asked for; undefined where it is not. */
  readonly operation?: CloudChange['operation'];
  /** The cloud's state does not allow it now. */
  readonly isPostponed?: boolean;
}

export type WishRule<S> = (situation: S) => Wish | undefined;

/** The wishes that are open, in the order of their rules. */
export function openWishes<S>(rules: readonly WishRule<S>[], situation: S): readonly Wish[] {
  return rules.map((rule) => rule(situation)).filter((wish) => wish !== undefined);
}

/**
 * One change at a time, in the order of the list: the first that is possible now, and the message names what follows. One that the cloud
 * refused lets the others pass.
 */
export function inTurn<S>(rules: readonly WishRule<S>[]): Rule<S> {
  return (situation) => {
    const wishes = openWishes(rules, situation).filter(({ isPostponed }) => isPostponed !== true);
    const next = wishes.find(({ step }) => step.type !== 'stall' || step.reason === 'NotApplied') ?? wishes[0];
    if (!next) return undefined;
    const others = wishes.filter((wish) => wish !== next).map(({ name }) => name);
    return others.length === 0 ? next.step : { ...next.step, message: `${next.step.message}; then: ${others.join(', ')}` };
  };
}

export interface Change {
  readonly name: string;
  readonly change: CloudChange;
  /** The value as the cloud shows it and as the spec wants it, for people and for telling whether a change was applied. */
  readonly from: string;
  readonly wanted: string;
  readonly reason: ReconcilingReason;
  /** `resizing from 1000m/4GB to 2000m/8GB` */
  readonly words: string;
}

/**
 * A change that is asked for once. Accepted and not visible yet, it is waited for; accepted, settled and without effect, it is not repeated
 * until the spec or the cloud changes; refused, it is tried again when the spec changes or after a while. (SAFETY, Changing)
 */
export function changeTo(situation: Situation, asked: Change): Wish {
  return { name: asked.name, operation: asked.change.operation, step: stepFor(situation, asked) };
}

function stepFor({ object, now, refusals, words }: Situation, { name, change, from, wanted, reason, words: doing }: Change): Step {
  const { lastOperation: last, observedGeneration } = object.status ?? {};
  const isAccepted = last?.operation === change.operation && last.wanted === wanted && last.from === from;
  const acceptedAt = Date.parse(last?.at ?? '');
  if (isAccepted && last.wasBusy !== true && now - acceptedAt < settleMs) {
    return wait(reason, doing, { inProgressSince: acceptedAt, afterMs: settleMs - (now - acceptedAt) });
  }
  if (isAccepted && observedGeneration === object.metadata.generation) {
    return stall(
      'NotApplied',
      `the cloud accepted to bring the ${name} of the ${words.noun} to ${wanted} and shows ${from}: it is not asked again until the spec or the cloud changes`,
    );
  }
  const refusal = refusals.get(change.operation);
  if (refusal?.wanted === wanted && refusal.generation === object.metadata.generation && now < refusal.again) return refusal.step;
  return call({ type: 'change', change, from, wanted }, { reason, message: doing });
}
