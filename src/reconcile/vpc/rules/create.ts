import { annotations } from '../../../resources/annotations.ts';
import type { Rule } from '../../rule.ts';
import { call, stall } from '../../step.ts';
import type { VpcSituation } from '../situation.ts';

/** Creates the VPC, once. A name that the user chose may be taken already, by the very VPC that is meant. */
export const create: Rule<VpcSituation> = ({ identity, object, cloud, account, record, clusterUid, sameNameIds }) => {
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const { spec, metadata } = object;
  if (sameNameIds.length > 0 && metadata.annotations?.[annotations.createAnyway] !== 'true' && !record.attempt) {
    return stall(
      'SameNameExists',
      `a VPC named "${spec.name}" exists (${sameNameIds.join(', ')}): annotate managed-db.io/external-id=<id> to take it over, managed-db.io/create-anyway=true to create another, or choose another spec.name`,
      { retryAfterMs: 60_000 },
    );
  }
  return call(
    {
      type: 'create',
      creation: { operation: 'createVpc', body: { cidr: spec.cidr, region_code: spec.regionCode } },
      name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
      sameNameIds: [...new Set([...(record.attempt?.sameNameIds ?? []), ...sameNameIds])],
      record: {
        projectId: account.account.projectId,
        clusterUid,
        objectUid: metadata.uid,
        ...(identity.state === 'known' ? { replaces: identity.id } : {}),
      },
      recordOnSuccess: {},
    },
    { reason: 'Creating', message: `creating the VPC ${spec.cidr} in ${spec.regionCode}` },
  );
};
