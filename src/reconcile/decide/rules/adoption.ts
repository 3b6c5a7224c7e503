import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { adviceToDelete } from './ownership.ts';
import { annotations } from '../../../resources/annotations.ts';
import { externalIdOf, howToAdopt, mayAdopt, nameFor } from '../../situation/neighbours.ts';
import type { Missing, Rule } from '../rule.ts';
import type { Situation } from '../../situation/situation.ts';
import { call, stall, wait } from '../../step/step.ts';
import { unreadableCloud } from '../unreadable-cloud.ts';
import { intervals } from '../../step/intervals.ts';
import { cutToFit, listed } from '../../step/short-message.ts';

/** Adopts the resource that a user names. It is read first, and adoption changes nothing of it, least of all its password. */
export function adopt<S extends Situation>(recordOf: (situation: S) => Partial<ResourceRecord>): Rule<Missing<S>> {
  return (situation) => {
    const { adoption, noun, object } = situation;
    switch (adoption.state) {
      case 'notAsked':
        return undefined;
      case 'notAllowed':
        return stall(
          'NotAllowed',
          `managed-db.io/external-id ${adoption.id} may be anything in the operator's project: set spec.credentialsRef to a key of your own`,
        );
      case 'unknown':
        return unreadableCloud(situation, adoption.error);
      case 'owned':
        return stall('OwnedByAnother', `${noun} ${adoption.id} belongs to ${nameFor(object, adoption.owner)}: ${adviceToDelete(object)}`, {
          retryAfterMs: intervals.forPersonMs,
        });
      case 'notFound':
        return stall(
          'AdoptionFailed',
          `there is no ${noun} ${adoption.id} in project ${adoption.projectId}, or it is being deleted: correct managed-db.io/external-id, or the credentials`,
          { retryAfterMs: intervals.forPersonMs },
        );
      case 'mismatch':
        return stall('AdoptionFailed', describeMismatch(`${noun} ${adoption.id}`, adoption.mismatch), {
          retryAfterMs: intervals.forPersonMs,
        });
      case 'found': {
        const claim: ResourceRecord = {
          id: adoption.id,
          outcome: 'adopted',
          projectId: adoption.projectId,
          ...recordOf(situation),
        };
        return call(
          { type: 'adopt', id: adoption.id, record: claim },
          { reason: 'Adopting', message: `taking over ${noun} ${adoption.id}` },
        );
      }
    }
  };
}

/**
 * An earlier object of this name left a resource: it was retained, or its finalizer was removed. A user must
 * decide, since a second, empty database would be a surprise. With the operator's own key, too, such an id may
 * be adopted.
 */
export const askAboutLeftovers: Rule<Missing> = ({ leftovers = [], object, noun }) => {
  const declined = object.metadata.annotations?.[annotations.createAnyway]?.split(',') ?? [];
  const left = leftovers.find(({ id }) => !declined.includes(id));
  if (left === undefined) return undefined;
  const { id, asked } = left;
  const create = `${annotations.createAnyway}=${leftovers.map((each) => each.id).join(',')}`;
  const idToAdopt = externalIdOf(asked === undefined ? [id] : []);
  const what = asked === undefined ? `left ${noun} ${id}` : `may have created ${noun} "${asked}"`;
  return stall('NotBound', `an earlier object ${what}: annotate ${idToAdopt} to adopt it, or ${create} to create another`, {
    retryAfterMs: intervals.forPersonMs,
  });
};

/** A name that the user chose may belong to an existing resource, perhaps the intended resource. So a user must decide. */
export const nameIsTaken: Rule<Missing> = (situation) => {
  const { sameNames, object, record, noun } = situation;
  if (sameNames.state === 'unknown') return unreadableCloud(situation, sameNames.error);
  if (sameNames.state === 'incomplete') {
    const { missing } = sameNames;
    return wait(
      'WaitingForCloud',
      `${noun} "${object.spec.name}" may exist, since the cloud's list lacks ${listed(missing)}: look for them there, or recreate this object without spec.name`,
      { afterMs: intervals.forCloudMs },
    );
  }
  // Resources from before an earlier attempt were decided upon then.
  const unclaimed = sameNames.unclaimed.filter((id) => record.attempt?.sameNameIds.includes(id) !== true);
  const said = object.metadata.annotations?.[annotations.createAnyway];
  const isAnswered = said === 'true' || unclaimed.every((id) => said?.split(',').includes(id));
  if (unclaimed.length === 0 || isAnswered) return undefined;
  const isUnsure = unclaimed.every((id) => sameNames.unnamed?.includes(id));
  const ids = listed(unclaimed);
  const found = `${noun} "${object.spec.name}" ${isUnsure ? `may be ${ids} (without a name)` : `exists (${ids})`}`;
  const way = mayAdopt(situation) ? externalIdOf(unclaimed) : howToAdopt(false, unclaimed);
  return stall('SameNameExists', `${found}: choose another spec.name, or annotate ${annotations.createAnyway}=true or ${way} to adopt`, {
    retryAfterMs: intervals.forPersonMs,
  });
};

function describeMismatch(thing: string, mismatch: string): string {
  const problem = `${thing} is not as the spec says, and cannot be changed: `;
  const advice = '; correct the spec, or managed-db.io/external-id';
  return `${problem}${cutToFit(mismatch, problem + advice)}${advice}`;
}
