import { createAction } from '../../../decide/rules/creation.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import type { VpcSituation } from '../situation.ts';

/** Creates the VPC, once.  */
export const create: Rule<VpcSituation> = (situation) => {
  const { identity, object, cloud, account } = situation;
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const { cidr, regionCode } = object.spec;
  if (cidr === undefined || regionCode === undefined) return undefined; // it was rejected for that
  return call(
    createAction(situation, { operation: 'createVpc', body: { cidr, region_code: regionCode } }, { projectId: account.account.projectId }),
    { reason: 'Creating', message: `creating the VPC ${cidr} in ${regionCode}` },
  );
};
