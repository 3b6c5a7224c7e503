import { createAction } from '../../../decide/rules/creation.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import type { MissingVpc } from '../situation.ts';

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
