import type { SecretSight } from '../../connection/observe-secret.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { write } from '../../step/step.ts';

/**
 * Another `connectionSecret.name`: the new Secret is complete before the old one goes. Where somebody else's Secret took the place of ours, another name
 * is the way out: it gets a new password, if the password is ours to set.
 */
export const moveConnection: Rule<Situation & { readonly secret: SecretSight; readonly nextSecret: SecretSight | undefined }> = ({
  secret,
  nextSecret,
  record,
}) => {
  if (record.previousSecretName !== undefined) {
    return write({ type: 'dropConnection', name: record.previousSecretName }, `Secret "${record.previousSecretName}" is replaced`);
  }
  if (nextSecret?.state === 'unusable') return nextSecret.why;
  if (secret.state === 'unusable') {
    return nextSecret
      ? write(
          { type: 'writeRecord', record: { ...record, secretName: nextSecret.name } },
          `Secret "${nextSecret.name}" will have the connection`,
        )
      : secret.why;
  }
  // A password on its way arrives first: it would be left behind under the old name.
  if (!nextSecret || secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp || secret.pending) return undefined;
  return write({ type: 'moveConnection', to: nextSecret.name }, `Secret "${secret.name}" becomes "${nextSecret.name}"`);
};
