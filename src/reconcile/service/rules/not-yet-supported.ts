import type { Rule } from '../../rule.ts';
import { stall } from '../../step.ts';
import { differences } from '../differences.ts';
import type { ServiceSituation } from '../situation.ts';

/** A field that is wanted and unmet is named, never silently ignored. */
export const notYetSupported: Rule<ServiceSituation> = (situation) => {
  const [first, ...others] = differences(situation);
  if (!first) return undefined;
  const all = [first, ...others].map(({ field, wanted, actual }) => `${field} (wanted ${wanted}, is ${actual})`).join(', ');
  return stall('NotYetSupported', `this version of the operator cannot change ${all}: change it in the cloud, or take it out of the spec`);
};
