import type { SecretSight } from '../connection/observe-secret.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall, write } from '../step.ts';

const lookAgainMs = 60_000;

/** Another `connectionSecret.name`: the new Secret is complete before the old one goes. */
export const moveConnection: Rule<Situation & { readonly secret: SecretSight; readonly nextSecret: SecretSight | undefined }> = ({
  secret,
  nextSecret,
  record,
}) => {
  if (record.previousSecretName !== undefined) {
    return write({ type: 'dropPreviousConnection', name: record.previousSecretName }, `Secret "${record.previousSecretName}" is replaced`);
  }
  if (!nextSecret || secret.state !== 'ours' || secret.secret.metadata.deletionTimestamp) return undefined;
  if (nextSecret.state === 'foreign') {
    return stall(
      'SecretConflict',
      `Secret "${nextSecret.name}" exists and was not made for this object: choose another spec.connectionSecret.name, or delete that Secret`,
      { retryAfterMs: lookAgainMs },
    );
  }
  return write({ type: 'moveConnection', to: nextSecret.name }, `Secret "${secret.name}" becomes "${nextSecret.name}"`);
};
