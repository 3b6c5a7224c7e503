import type { KindReconciler } from '../kinds/kind.ts';
import type { Situation } from '../situation/situation.ts';
import type { Outcome } from '../step/outcome.ts';
import type { Step } from '../step/step.ts';

/** One visit after its step was carried out: the situation, the step and its outcome. */
export interface Visit<S extends Situation> {
  readonly kind: KindReconciler<S>;
  readonly situation: S;
  /** The step in the form for status, after the outcome is known. */
  readonly step: Step;
  readonly outcome: Outcome;
}

/** Whether the same step is to be retried with back-off. */
export function hasFailed({ outcome: { type } }: Pick<Visit<Situation>, 'outcome'>): boolean {
  return type === 'failed' || type === 'overtaken' || type === 'hindered';
}
