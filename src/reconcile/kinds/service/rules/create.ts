import { createAction } from '../../../decide/rules/creation.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import { serviceCreation } from '../creation.ts';
import type { ServiceSituation } from '../situation.ts';

/** Creates the service, once.  */
export const create: Rule<ServiceSituation> = (situation) => {
  const { identity, object, cloud, account, forkSource, vpc, secret } = situation;
  if (account.state !== 'usable' || (identity.state === 'known' && cloud.state !== 'absent')) return undefined;
  const creation = serviceCreation(object.spec, forkSource.state === 'found' ? forkSource.id : undefined);
  return call(
    createAction(
      situation,
      creation,
      { projectId: account.account.projectId, secretName: secret.name },
      vpc.state === 'found' ? { vpcAttachment: vpc.id } : {},
    ),
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.sourceId}` : 'creating the service' },
  );
};
