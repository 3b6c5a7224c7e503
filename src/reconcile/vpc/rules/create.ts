import type { Rule } from '../../rule.ts';
import { call } from '../../step.ts';
import type { VpcSituation } from '../situation.ts';
import { opening } from '../../recreation.ts';

/** Creates the VPC, once.  */
export const create: Rule<VpcSituation> = (situation) => {
  const { identity, object, cloud, account, record, sameNames } = situation;
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const { spec, metadata } = object;
  return call(
    {
      type: 'create',
      creation: { operation: 'createVpc', body: { cidr: spec.cidr, region_code: spec.regionCode } },
      name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
      sameNameIds: [...new Set([...(record.attempt?.sameNameIds ?? []), ...(sameNames.state === 'read' ? sameNames.ids : [])])],
      record: opening(situation, account.account.projectId),
      recordOnSuccess: {},
    },
    { reason: 'Creating', message: `creating the VPC ${spec.cidr} in ${spec.regionCode}` },
  );
};
