import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Step } from '../step/step.ts';

/** One visit to one object, once its step was carried out: what was known, what was done, and what came of it. */
export interface Visit<S extends Situation> {
  readonly kind: KindReconciler<S>;
  readonly situation: S;
  /** As it turned out, in the words that the user reads. */
  readonly step: Step;
  readonly outcome: Outcome;
}

/** Whether the same is to be tried again, after a pause that grows. */
export function hasFailed({ outcome: { type } }: Pick<Visit<Situation>, 'outcome'>): boolean {
  return type === 'failed' || type === 'overtaken' || type === 'hindered';
}
