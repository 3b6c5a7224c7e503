import { aboutOf } from '../connection/ours.ts';
import { isKept } from '../situation/policy.ts';
import type { Situation } from '../situation/situation.ts';
import type { Step } from '../step/step.ts';

/** Releases the object. The Secrets of a deleted resource are removed; the Secrets of a retained or foreign resource stay. */
export function release(situation: Situation, message: string): Step {
  const { claim, secret, identity } = situation;
  const isForeign = claim.state !== 'ours' && claim.state !== 'restored';
  const id = identity.state === 'known' ? identity.id : undefined;
  const keepsSecrets = isForeign || isKept(situation);
  return { type: 'release', message, released: { id, secretName: secret?.name, keepsSecrets, about: aboutOf(situation) } };
}
