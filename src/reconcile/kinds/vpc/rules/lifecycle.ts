import { createAction } from '../../../decide/rules/missing.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import type { MissingVpc, ExistingVpc } from '../situation.ts';

export const create: Rule<MissingVpc> = (situation) => {
  const { object, key } = situation;
  const { cidr, regionCode } = object.spec;
  if (cidr === undefined || regionCode === undefined) return undefined; // the spec was rejected for that
  return call(
    createAction(situation, { operation: 'createVpc', ids: [], body: { cidr, region_code: regionCode } }, { projectId: key.projectId }),
    {
      reason: 'Creating',
      message: `creating the VPC ${cidr} in ${regionCode}`,
    },
  );
};

export const vpcExists = 'the VPC exists';

export const ready: Rule<ExistingVpc> = ({ object, peerings }) => {
  const count = peerings.state === 'read' ? (object.spec.peerings ?? []).length : 0;
  const withPeerings = count === 0 ? '' : count === 1 ? ', its peering is active' : `, its ${count} peerings are active`;
  return { type: 'done', reason: 'Available', message: vpcExists + withPeerings };
};
