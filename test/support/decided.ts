import { decideService } from '../../src/reconcile/kinds/service/kind.ts';
import type { Step } from '../../src/reconcile/step/step.ts';
import { serviceSituation, type GivenService } from './situation.ts';

/**
 * A row of a table: a sentence, the difference from a READY service that is as its spec wants, and the decision of the
 * whole policy.
 */
export type Row = readonly [sentence: string, given: GivenService, expected: object];

/** The decision of the whole policy for a service. */
export function decided(given: GivenService): Step {
  return decideService(serviceSituation(given));
}
