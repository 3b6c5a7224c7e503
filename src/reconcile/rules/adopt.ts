import { annotations } from '../../resources/annotations.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall } from '../step.ts';

/** Taking over what exists. Until it can, the operator says so and creates nothing beside it. */
export const adopt: Rule<Situation> = ({ object, identity, words }) => {
  const externalId = object.metadata.annotations?.[annotations.externalId];
  if (externalId === undefined || identity.state === 'known') return undefined;
  return stall(
    'NotYetSupported',
    `this version of the operator cannot take over ${words.noun} ${externalId} (annotation managed-db.io/external-id): remove the annotation to create a new one`,
  );
};
