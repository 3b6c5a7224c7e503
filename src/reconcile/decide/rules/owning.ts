import type { ResourceRecord } from '../../../resources/ledger-entry.ts';
import { annotations } from '../../../resources/annotations.ts';
import {
  adviceToDelete,
  deleteCommand,
  externalIdOf,
  nameFor,
} from '../../situation/neighbours.ts';
import type { Situation } from '../../situation/situation.ts';
import { askPerson, stall, write, type Step } from '../../step/step.ts';
import type { Rule } from '../rule.ts';
import { releaseAs, releaseObject } from './always.ts';

/** An object that is not bound to a resource only reports, and is deleted without an effect on the cloud. */
export const ownsResource: Rule<Situation> = (situation) => {
  const { claim, deletion, object, noun, record } = situation;
  const thing = record.id === undefined ? `the ${noun}` : `${noun} ${record.id}`;
  switch (claim.state) {
    case 'ours':
      if (!record.isShared || deletion.requested) return undefined;
      return write(
        { type: 'writeRecord', record: sharing(record, undefined) },
        `${thing} has a single owner again`,
      );
    case 'rebind':
      return undefined;
    case 'contested':
      if (deletion.requested)
        return releaseObject(situation, `${thing} has another owner and stays`);
      if (!record.isShared)
        return write(
          { type: 'writeRecord', record: sharing(record, true) },
          `${thing} has two owners`,
        );
      return askPerson(
        'NotBound',
        `${thing} belongs to ${nameFor(object, claim.rival)}, too: ${adviceToDelete(object)}`,
      );
    case 'elsewhere': {
      const option = `--accept-objects-of-cluster ${claim.clusterUid}`;
      const again = `apply this object again with the operator's ${option}`;
      if (deletion.requested)
        return abandon(
          situation,
          object.status?.id,
          `belongs to another cluster and stays; ${again}`,
        );
      const advice = `when that no longer manages it, start the operator with ${option}`;
      const shown = record.id ?? object.status?.id;
      return stall(
        'OwnedElsewhere',
        `${shown === undefined ? thing : `${noun} ${shown}`} belongs to another cluster: ${advice}`,
      );
    }
    case 'copied': {
      const copied = `${annotations.ledger} was copied from ${nameFor(object, claim.original)}`;
      if (deletion.requested) return releaseObject(situation, `${copied}, which keeps its ${noun}`);
      return askPerson(
        'NotBound',
        `${copied}: remove it for another ${noun}, or ${deleteCommand(object)}`,
      );
    }
    case 'unbound': {
      if (claim.asked !== undefined) return askAboutLostCreate(situation, claim);
      const known = claim.id ?? claim.pointedId;
      const adopting = externalIdOf(known === undefined ? [] : [known]);
      if (deletion.requested)
        return abandon(
          situation,
          claim.id,
          `may still be in the cloud, and ${claim.why}; apply it again with ${adopting}`,
        );
      const create =
        claim.id === undefined
          ? `remove ${annotations.ledger}`
          : `${annotations.createAnyway}=${claim.id}`;
      return askPerson(
        'NotBound',
        `${claim.why}: restore it, or annotate ${adopting} to adopt, or ${create} for another`,
      );
    }
  }
};

type Unbound = Extract<Situation['claim'], { readonly state: 'unbound' }>;

/** The create may have made a resource, which no list can prove without its ledger entry. */
function askAboutLostCreate(
  situation: Situation,
  { asked, id, projectId }: Pick<Unbound, 'asked' | 'id' | 'projectId'>,
): Step {
  const create = `the create of "${asked}" in project ${projectId}`;
  if (situation.deletion.requested)
    return releaseAs(
      'abandoned',
      situation,
      `${create} has no answer: look for it in the cloud, where it may cost money`,
    );
  const choice = `${externalIdOf([])} adopts it, ${annotations.createAnyway}=${id} makes another`;
  const message = `${create} has no answer: look in the cloud; ${choice}`;
  return askPerson('NotBound', message);
}

function abandon(situation: Situation, shownId: string | undefined, words: string): Step {
  const { record, object, noun } = situation;
  const id = record.id ?? shownId;
  const lost = situation.claim.state === 'unbound' ? situation.claim.projectId : undefined;
  const projectId = record.projectId ?? object.status?.projectId ?? lost;
  const thing = `${id === undefined ? `the ${noun}` : `${noun} ${id}`}${projectId === undefined ? '' : ` in project ${projectId}`}`;
  return releaseAs('abandoned', situation, `${thing} ${words}`);
}

/** If both owners are deleted at once, the last is then the only owner, and must know that. */
function sharing(
  { isShared: _before, ...rest }: ResourceRecord,
  isShared: true | undefined,
): ResourceRecord {
  return isShared ? { ...rest, isShared } : rest;
}
