import type { Rule } from '../../rule.ts';
import { call } from '../../step.ts';
import { serviceCreation } from '../creation.ts';
import type { ServiceSituation } from '../situation.ts';
import { opening } from '../../recreation.ts';

/** Creates the service, once.  */
export const create: Rule<ServiceSituation> = (situation) => {
  const { identity, object, cloud, account, record, forkSource, sameNames, vpc, secret } = situation;
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const { spec, metadata } = object;
  const creation = serviceCreation(spec, forkSource.state === 'found' ? forkSource.id : undefined);
  return call(
    {
      type: 'create',
      creation,
      name: spec.name === undefined ? { kind: 'ours', prefix: metadata.name } : { kind: 'given', name: spec.name },
      sameNameIds: [...new Set([...(record.attempt?.sameNameIds ?? []), ...(sameNames.state === 'read' ? sameNames.ids : [])])],
      record: { ...opening(situation, account.account.projectId), secretName: secret.name },
      recordOnSuccess: vpc.state === 'found' ? { vpcAttachment: vpc.id } : {},
    },
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.sourceId}` : 'creating the service' },
  );
};
