import type { Rule } from '../../../decide/rule.ts';
import { awaitReference } from '../../../decide/unreadable-cloud.ts';
import { call } from '../../../step/step.ts';
import type { MissingService } from '../situation.ts';
import { createAction } from '../../../decide/rules/creation.ts';
import { rotationOrigin } from '../../../step/connection.ts';
import { serviceCreation } from '../creation.ts';

/** The objects that a new service refers to must exist before it is created. */
export const awaitReferences: Rule<MissingService> = ({ vpc, forkSource }) => awaitReference(forkSource) ?? awaitReference(vpc);

/** Creates the service once. */
export const create: Rule<MissingService> = (situation) => {
  const { object, key, forkSource, vpc, wantedSecret: connection } = situation;
  const creation = serviceCreation(object.spec, forkSource.state === 'found' ? forkSource.id : undefined);
  const { projectId } = key;
  const { rotation } = object.spec.password ?? {};
  const firstPassword = { connection, requested: rotation === undefined ? undefined : rotationOrigin(rotation) };
  const attached = vpc.state === 'found' ? { vpcAttachment: vpc.id } : {};
  return call(
    { ...createAction(situation, creation, { projectId }, attached), firstPassword },
    { reason: 'Creating', message: creation.operation === 'forkService' ? `forking service ${creation.ids[0]}` : 'creating the service' },
  );
};
