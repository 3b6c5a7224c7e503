import { decideService } from '../../src/reconcile/kinds/service/policy.ts';
import type { Step } from '../../src/reconcile/step/step.ts';
import { serviceSituation, type GivenService } from './situation.ts';

/** One row of a table: a sentence, what is different from a service that is READY and as its spec wants, and what the whole policy decides on. */
export type Row = readonly [sentence: string, given: GivenService, expected: object];

/** What the whole policy of a service decides on. */
export function decided(given: GivenService): Step {
  return decideService(serviceSituation(given));
}
