import type { SecretSight } from '../connection/observe-secret.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { write } from '../step.ts';

/** What was only observed had no connection Secret. The record names it before it is made: whoever drops or moves it goes by that. */
export const nameConnection: Rule<Situation & { readonly secret: SecretSight }> = ({ identity, record, secret }) => {
  if (identity.state !== 'known' || record.secretName !== undefined || secret.state === 'foreign') return undefined;
  return write({ type: 'writeRecord', record: { ...record, secretName: secret.name } }, `Secret "${secret.name}" will have the connection`);
};
