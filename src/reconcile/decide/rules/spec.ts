import { decidingProblem, type SpecProblem } from '../../../resources/spec-problem.ts';
import type { Existing, Missing, Rule } from '../rule.ts';
import { isObserved, isRetained, observingSetting } from '../../situation/options.ts';
import { howToAdopt, mayAdopt } from '../../situation/neighbours.ts';
import { cutToFit, listed } from '../../step/short-message.ts';
import type { Situation, PendingChange } from '../../situation/situation.ts';
import { stall } from '../../step/step.ts';

/** Without the fields that decide about changes, deletion and the key, nothing is called, not even for a deletion. */
export const rejectUndecided: Rule<Situation> = ({ object }) => {
  const problem = decidingProblem(object.problems);
  return problem && stall('Rejected', unreadable(problem, ': correct it; until then the operator changes and deletes nothing'));
};

/** A spec that was stored under an older schema may be unreadable: nothing is created or changed from it. */
export const rejectSpec: Rule<Situation> = ({ object }) => {
  const [first, ...others] = object.problems;
  if (!first) return undefined;
  const more = others.length === 0 ? '' : ` (also ${listed(others.map(({ path }) => path))})`;
  return stall('Rejected', unreadable(first, `${more}: correct it; until then the operator changes nothing`));
};

function unreadable({ path, value, expectation }: SpecProblem, advice: string): string {
  const problem = `${path} cannot be read: it is ${value}`;
  return `${problem} (${cutToFit(expectation, `${problem} ()${advice}`)})${advice}`;
}

/** The user suspended the object: nothing is changed, but the state in the cloud is still reported. */
export const suspended: Rule<Situation> = (situation) => {
  const { object, deletion, cloud, noun } = situation;
  if (object.spec.suspend !== true) return undefined;
  if (deletion.requested) {
    return stall('DeletionBlocked', `deletion waits because spec.suspend is true: set it to false ${afterSuspension(situation)}`);
  }
  const gone = cloud.state === 'absent' ? `the ${noun} is gone from the cloud; ` : '';
  return {
    type: 'suspended',
    message: gone + 'spec.suspend is true: the operator changes nothing for this object; set it to false to go on',
  };
};

/** The effect of a deletion that continues, and whether the resource can still be kept. */
function afterSuspension(situation: Situation): string {
  const { identity, attempt, cloud, deletion, noun } = situation;
  if (identity.state === 'none' && !attempt) return `to drop this object; no ${noun} was created`;
  if (cloud.state === 'absent') return `to drop this object; the ${noun} is gone from the cloud`;
  if (isRetained(situation)) return `to drop this object; the ${noun} stays in the cloud`;
  if (deletion.started) return `to go on; spec.deletionPolicy no longer keeps the ${noun}, whose deletion has begun`;
  return `to go on; to keep the ${noun} in the cloud, set spec.deletionPolicy to Retain before`;
}

/** An observing object creates nothing, so it needs a resource. */
export const nothingToObserve: Rule<Missing> = (situation) => {
  const { object, noun, options } = situation;
  if (!isObserved(object, options)) return undefined;
  const otherwise = options.managementPolicy === 'Observe' ? '' : `, or set it to Manage to create a ${noun}`;
  return stall(
    'AdoptionFailed',
    `${observingSetting(options)} and there is no ${noun} to observe: ${howToAdopt(mayAdopt(situation), [])} to name it${otherwise}`,
  );
};

export const observeOnly: Rule<Existing> = ({ object, noun, options, pendingChanges }) => {
  if (!isObserved(object, options)) return undefined;
  const differences = pendingChanges.map(difference);
  const why = options.managementPolicy === 'Observe' ? `: ${observingSetting(options)}` : '';
  const message = `the ${noun} is observed and never changed${why}`;
  const differing = differences.length === 0 ? '' : `; it differs: ${cutToFit(listed(differences), `${message}; it differs: `)}`;
  return { type: 'done', reason: 'Observed', message: message + differing, ...(differences.length > 0 && { differs: true }) };
};

function difference({ name, path, from, wanted }: PendingChange): string {
  return from === undefined || wanted === undefined ? name : `${path ?? name} is ${from}, not ${wanted}`;
}
