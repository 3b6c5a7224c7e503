import type { KindReconciler } from '../../src/reconcile/kinds/kind.ts';
import { memory } from '../../src/reconcile/wiring/memory.ts';
import type { ReportedVisit, Visit } from '../../src/reconcile/report/visit.ts';
import type { Sources } from '../../src/reconcile/observe/sources.ts';
import type { Situation } from '../../src/reconcile/situation/situation.ts';
import type { Step } from '../../src/reconcile/step/step.ts';
import { resourceKey } from '../../src/runtime/index.ts';

/** The memory of a process that has not seen the object before. */
export const freshMemory = () => memory().known('ManagedService', resourceKey('shop', 'orders'));

/** An observation without a key reads no list. */
export const noSources: Sources = {
  account: { state: 'notAsked' },
  list: undefined,
  progressList: undefined,
  alsoRead: [],
};

/** A visit that ended when it began and that reports the decided step, in a process that has not seen the object before, unless more is given. */
export function visitOf<S extends Situation>(
  kind: KindReconciler<S>,
  situation: S,
  step: Step,
  more: Partial<Pick<Visit<S>, 'outcome' | 'memory' | 'endedAt'>> = {},
): ReportedVisit<S> {
  return {
    kind,
    situation,
    step,
    reported: step,
    outcome: { type: 'nothing' },
    memory: freshMemory(),
    endedAt: situation.now,
    random: 0,
    ...more,
  };
}
