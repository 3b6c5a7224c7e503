import type { Rule } from '../../rule.ts';
import { stall } from '../../step.ts';
import { peeringKey } from '../peering-key.ts';
import type { VpcSituation } from '../situation.ts';

/** A change that is wanted and not possible yet is named, never silently ignored. */
export const notYetSupported: Rule<VpcSituation> = ({ object, cloud, record }) => {
  if (cloud.state !== 'present') return undefined;
  const { name, peerings = [] } = object.spec;
  const wanted = new Set(peerings.map(peeringKey));
  const removed = Object.keys(record.peerings ?? {}).filter((key) => !wanted.has(key));
  const unmet = [
    ...(name !== undefined && cloud.resource.name !== undefined && name !== cloud.resource.name
      ? [`spec.name (wanted ${name}, is ${cloud.resource.name})`]
      : []),
    ...(removed.length > 0 ? [`spec.peerings (without ${removed.join(', ')})`] : []),
  ];
  if (unmet.length === 0) return undefined;
  return stall(
    'NotYetSupported',
    `this version of the operator cannot change ${unmet.join(', ')}: change it in the cloud, or take it back in the spec`,
  );
};
