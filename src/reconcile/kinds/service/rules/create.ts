import { createAction } from '../../../decide/rules/creation.ts';
import { wantedSecret } from '../../../connection/connection-write.ts';
import { initialOrigin, rotationOrigin } from '../../../step/password-origin.ts';
import type { Rule } from '../../../decide/rule.ts';
import { call } from '../../../step/step.ts';
import { serviceCreation } from '../creation.ts';
import type { MissingService } from '../situation.ts';

/** Creates the service, once.  */
export const create: Rule<MissingService> = (situation) => {
  const { object, key, forkSource, vpc, secret } = situation;
  const creation = serviceCreation(object.spec, forkSource.state === 'found' ? forkSource.id : undefined);
  const { projectId } = key;
  const { rotation } = object.spec.password ?? {};
  const passwordTo = {
    secret: { ...wantedSecret(situation), id: undefined, projectId },
    connection: situation.connection,
    origin: rotation === undefined ? initialOrigin : rotationOrigin(rotation),
  };
  const attached = vpc.state === 'found' ? { vpcAttachment: vpc.id } : {};
  return call(
    { ...createAction(situation, creation, { projectId, secretName: secret.name }, attached), passwordTo },
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.sourceId}` : 'creating the service' },
  );
};
