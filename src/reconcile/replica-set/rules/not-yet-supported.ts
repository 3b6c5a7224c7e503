import { differs, text } from '../../differs.ts';
import type { Rule } from '../../rule.ts';
import { stall } from '../../step.ts';
import type { ReplicaSetSituation } from '../situation.ts';
import { replicaSetOf } from '../state.ts';

/** A field that is wanted and unmet is named, never silently ignored. */
export const notYetSupported: Rule<ReplicaSetSituation> = (situation) => {
  const set = replicaSetOf(situation);
  if (!set) return undefined;
  const { spec } = situation.object;
  const fields: readonly (readonly [string, unknown, unknown])[] = [
    ['spec.connectionSecret.name', spec.connectionSecret?.name, situation.secret.name],
  ];
  const unmet = fields.filter(([, wanted, actual]) => differs(wanted, actual));
  if (unmet.length === 0) return undefined;
  const all = unmet.map(([field, wanted, actual]) => `${field} (wanted ${text(wanted)}, is ${text(actual)})`).join(', ');
  return stall('NotYetSupported', `this version of the operator cannot change ${all}: change it in the cloud, or take it out of the spec`);
};
