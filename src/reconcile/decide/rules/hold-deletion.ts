import { isProtected } from '../../situation/deletion-policy.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { wait } from '../../step/step.ts';

const lookAgainMs = 60_000;

/** A DELETE that must not be sent: the CRD takes all objects with it, or the database is protected. Once one was begun, nothing holds it. */
export function holdDeletion<S extends Situation>(environmentOf: (situation: S) => string | undefined): Rule<S> {
  return (situation) => {
    const { deletion, object, words, identity } = situation;
    if (!deletion.requested || deletion.started || identity.state !== 'known') return undefined;
    if (deletion.crdTerminating) {
      return wait(
        'DeletionBlocked',
        `the CustomResourceDefinition of ${object.kind} is being deleted: nothing is deleted in the cloud; to drop this object and keep the ${words.noun}, set spec.deletionPolicy to Retain`,
        {
          afterMs: lookAgainMs,
        },
      );
    }
    if (!isProtected(object, environmentOf(situation))) return undefined;
    const why = object.spec.deletionProtection === undefined ? 'because its environment is PROD' : 'by spec.deletionProtection';
    return wait(
      'DeletionProtected',
      `the ${words.noun} is protected ${why}: set spec.deletionProtection to false to delete it, or spec.deletionPolicy to Retain to keep it and drop only this object`,
      {
        afterMs: lookAgainMs,
      },
    );
  };
}
