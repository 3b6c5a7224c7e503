import { decidingProblem, type SpecProblem } from '../../../resources/spec-problem.ts';
import type { Existing, Missing, Rule } from '../rule.ts';
import { isObserved, isRetained, observingSetting } from '../../situation/options.ts';
import { howToAdopt, mayAdopt } from '../../situation/adopting.ts';
import type { Situation, PendingChange } from '../../situation/situation.ts';
import { stall } from '../../step/step.ts';

/** Without the fields that decide about changes, deletion and the key, nothing is called, not even for a deletion. */
export const rejectUndecided: Rule<Situation> = ({ object }) => {
  const problem = decidingProblem(object.problems);
  return (
    problem &&
    stall('Rejected', `${unreadable(problem)}: correct it; until then nothing is called for this object, nor is anything deleted`)
  );
};

/** A spec that was stored under an older schema may be unreadable. Nothing is created or changed from such a spec. */
export const rejectSpec: Rule<Situation> = ({ object }) => {
  const [first, ...others] = object.problems;
  if (!first) return undefined;
  const more = others.length === 0 ? '' : ` (also ${others.map(({ path }) => path).join(', ')})`;
  return stall('Rejected', `${unreadable(first)}${more}: correct it; until then nothing is created or changed for this object`);
};

function unreadable({ path, value, expectation }: SpecProblem): string {
  return `${path} cannot be read: it is ${value} (${expectation})`;
}

/** The user suspended the object: nothing is changed. The state in the cloud is still reported. */
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

/** What a deletion that goes on does, and whether the resource can still be kept. */
function afterSuspension(situation: Situation): string {
  const { identity, attempt, cloud, deletion, noun } = situation;
  if (identity.state === 'none' && !attempt) return `to drop this object; no ${noun} was created`;
  if (cloud.state === 'absent') return `to drop this object; the ${noun} is gone from the cloud`;
  if (isRetained(situation)) return `to drop this object; the ${noun} stays in the cloud`;
  if (deletion.started) return `to go on; the deletion of the ${noun} had begun before, so spec.deletionPolicy no longer keeps it`;
  return `to go on; to keep the ${noun} in the cloud, set spec.deletionPolicy to Retain before`;
}

/** An observing object needs a resource: nothing is created or recreated for it. */
export const nothingToObserve: Rule<Missing> = (situation) => {
  const { object, noun, options } = situation;
  if (!isObserved(object, options)) return undefined;
  const otherwise = options.managementPolicy === 'Observe' ? '; none is created' : '; or set it to Manage to create one';
  return stall(
    'AdoptionFailed',
    `${observingSetting(options)} and there is no ${noun} to observe: name one${howToAdopt(mayAdopt(situation), object, [])}${otherwise}`,
  );
};

/** Differences from the spec are reported, and left. */
export const observeOnly: Rule<Existing> = ({ object, noun, options, pendingChanges }) => {
  if (!isObserved(object, options)) return undefined;
  const differences = pendingChanges.map(difference);
  const why = options.managementPolicy === 'Observe' ? `: ${observingSetting(options)}` : '';
  const message = `the ${noun} is observed and never changed${why}`;
  const differing = differences.length === 0 ? '' : `; it differs from the spec: ${differences.join(', ')}`;
  return { type: 'done', reason: 'Observed', message: message + differing, ...(differences.length > 0 && { differs: true }) };
};

function difference({ name, path, from, wanted }: PendingChange): string {
  return from === undefined || wanted === undefined ? name : `${path ?? name} is ${from} and not ${wanted}`;
}
