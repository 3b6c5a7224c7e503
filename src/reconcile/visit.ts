import type { KindReconciler } from './kind.ts';
import type { Outcome } from './outcome.ts';
import type { Situation } from './situation.ts';
import type { Step } from './step.ts';

/** One visit to one object, once its step was carried out: what was known, what was done, and what came of it. */
export interface Visit<S extends Situation> {
  readonly kind: KindReconciler<S>;
  readonly situation: S;
  /** As it turned out. */
  readonly step: Step;
  readonly outcome: Outcome;
}
