import { annotations } from '../../../resources/annotations.ts';
import type { Rule } from '../rule.ts';
import type { SameNames, Situation } from '../../situation/situation.ts';
import { stall } from '../../step/step.ts';
import { unreadableCloud } from './unreadable-cloud.ts';
import { annotateCommand } from '../../situation/commands.ts';
import { adoptionCommand, mayAdopt, ownKeyFirst } from '../../situation/may-adopt.ts';

const lookAgainMs = 60_000;

/** A name that the user chose may be taken already, by the very resource that is meant: a person says which it is. */
export const nameIsTaken: Rule<Situation & { readonly sameNames: SameNames }> = (situation) => {
  const { sameNames, identity, cloud, object, record, words } = situation;
  if (identity.state === 'known' && cloud.state !== 'absent') return undefined;
  if (sameNames.state === 'unknown') return unreadableCloud(situation, sameNames.error);
  // What was there when an earlier attempt began was decided upon then.
  const unclaimed = sameNames.unclaimed.filter((id) => record.attempt?.sameNameIds.includes(id) !== true);
  const said = object.metadata.annotations?.[annotations.createAnyway];
  const isAnswered = said === 'true' || unclaimed.every((id) => said?.split(',').includes(id));
  if (unclaimed.length === 0 || isAnswered) return undefined;
  return stall(
    'SameNameExists',
    `a ${words.noun} named "${object.spec.name}" exists (${unclaimed.join(', ')}): choose another spec.name; or create another of that name: ${annotateCommand(object, `${annotations.createAnyway}=true`)} ; or take it over: ${mayAdopt(situation) ? adoptionCommand(object, unclaimed) : ownKeyFirst}`,
    { retryAfterMs: lookAgainMs },
  );
};
