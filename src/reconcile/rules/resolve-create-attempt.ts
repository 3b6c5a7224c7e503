import { annotations } from '../../resources/annotations.ts';
import { attemptName } from '../attempt.ts';
import { concluded } from '../record-changes.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { stall, wait, write } from '../step.ts';
import { unreadableCloud } from './unreadable-cloud.ts';

/** A create whose answer is not known is resolved before anything is changed, deleted or released. */
export const resolveCreateAttempt: Rule<Situation> = (situation) => {
  const { attempt: sight, words, record, now, account, deletion, object } = situation;
  if (!sight) return undefined;
  const name = attemptName(sight.attempt);
  switch (sight.state) {
    case 'stored':
      return write(
        { type: 'writeRecord', record: concluded(record, sight.id, now) },
        `the ${words.noun} "${name}" was created as ${sight.id}`,
      );
    case 'unknown':
      return unreadableCloud(situation, sight.error, account.state === 'usable' ? account.account.troubledSince : undefined);
    case 'looking':
      return wait(
        'ResolvingCreate',
        `it is not known yet whether the request for ${words.noun} "${name}" reached the cloud: looking for it there; nothing is created twice`,
        {
          afterMs: Math.max(sight.again - now, 1_000),
        },
      );
    case 'judged':
      switch (sight.verdict.kind) {
        case 'one':
          return write(
            { type: 'writeRecord', record: concluded(record, sight.verdict.id, now) },
            `the ${words.noun} "${name}" had been created as ${sight.verdict.id}`,
          );
        case 'ambiguous': {
          const chosen = object.metadata.annotations?.[annotations.externalId];
          if (chosen !== undefined && sight.verdict.ids.includes(chosen)) {
            return write({ type: 'writeRecord', record: concluded(record, chosen, now) }, `the ${words.noun} ${chosen} was chosen`);
          }
          // What was said of another resource of that name does not answer this.
          const { ids } = sight.verdict;
          if (object.metadata.annotations?.[annotations.createAnyway] === ids.join(',') && !deletion.requested) return undefined;
          return stall(
            'AmbiguousCreate',
            `one of ${sight.verdict.ids.join(', ')} may be the ${words.noun} that was asked for as "${name}": annotate managed-db.io/external-id=<id> to take one, or managed-db.io/create-anyway=${ids.join(',')} to create another`,
          );
        }
        case 'none':
          // Nothing came of it. While deleting there is nothing to delete; otherwise `create` begins another attempt.
          return deletion.requested && record.replaces === undefined
            ? { type: 'release', message: `no ${words.noun} was created` }
            : undefined;
      }
  }
};
