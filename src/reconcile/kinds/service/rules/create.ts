import { createAction } from '../../../decide/rules/creation.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import { serviceCreation } from '../creation.ts';
import type { MissingService } from '../situation.ts';

/** Creates the service, once.  */
export const create: Rule<MissingService> = (situation) => {
  const { object, key, forkSource, vpc, secret } = situation;
  const creation = serviceCreation(object.spec, forkSource.state === 'found' ? forkSource.id : undefined);
  return call(
    createAction(
      situation,
      creation,
      { projectId: key.projectId, secretName: secret.name },
      vpc.state === 'found' ? { vpcAttachment: vpc.id } : {},
    ),
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.sourceId}` : 'creating the service' },
  );
};
