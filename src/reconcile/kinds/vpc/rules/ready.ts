import type { Rule } from '../../../decide/rule.ts';
import type { ExistingVpc } from '../situation.ts';

export const vpcIsThere = 'the VPC is there';

export const ready: Rule<ExistingVpc> = ({ object, peerings }) => {
  const count = peerings.state === 'read' ? (object.spec.peerings ?? []).length : 0;
  const withPeerings = count === 0 ? '' : count === 1 ? ', its peering is active' : `, its ${count} peerings are active`;
  return { type: 'done', reason: 'Available', message: vpcIsThere + withPeerings };
};
