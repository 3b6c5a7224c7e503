import type { SecretSight } from '../../connection/observe-secret.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { write } from '../../step/step.ts';

/**
 * The record names the connection Secret before it is made: whoever drops or moves it goes by that. What was only observed had none. While nothing was
 * made under the recorded name, perhaps because Kubernetes refuses it, the spec may name another.
 */
export const nameConnection: Rule<Situation & { readonly secret: SecretSight; readonly nextSecret: SecretSight | undefined }> = ({
  identity,
  record,
  secret,
  nextSecret,
}) => {
  if (identity.state !== 'known') return undefined;
  const isNothingMade = secret.state === 'absent' && !secret.pending && nextSecret !== undefined;
  const named = record.secretName === undefined ? secret : isNothingMade ? nextSecret : undefined;
  if (!named || named.state === 'unusable') return undefined;
  return write({ type: 'writeRecord', record: { ...record, secretName: named.name } }, `Secret "${named.name}" will have the connection`);
};
