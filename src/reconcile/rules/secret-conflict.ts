import type { Rule } from '../rule.ts';
import { stall } from '../step.ts';
import type { SecretSight } from '../connection/observe-secret.ts';
import type { Situation } from '../situation.ts';

const lookAgainMs = 60_000;

/** A Secret that the operator did not make is never overwritten; without a place for its password nothing is created. */
export const secretConflict: Rule<Situation & { readonly secret: SecretSight }> = ({ secret }) => {
  if (secret.state !== 'foreign') return undefined;
  return stall(
    'SecretConflict',
    `Secret "${secret.name}" exists and was not made for this object: choose another spec.connectionSecret.name, or delete that Secret`,
    {
      retryAfterMs: lookAgainMs,
    },
  );
};
