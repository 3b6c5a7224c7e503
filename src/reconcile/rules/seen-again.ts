import type { ResourceRecord } from '../record.ts';
import type { Rule } from '../rule.ts';
import type { Situation } from '../situation.ts';
import { wait, write } from '../step.ts';
import { lost } from './report-lost.ts';
import { unreadableCloud } from './unreadable-cloud.ts';
import { mayBeReplaced } from '../recreation.ts';

/**
 * While a recreation has come to nothing, what it is to replace may be seen again: then it is the one, and nothing is made. Each further try needs the
 * same word as the first, and only what is proven gone lets the object go.
 * @param partsOf what a kind knows beside the id
 */
export function seenAgain<S extends Situation>(partsOf: (situation: S) => Partial<ResourceRecord>): Rule<S> {
  return (situation) => {
    const { identity, record, replaced, account, now, deletion, object, words } = situation;
    if (identity.state !== 'none' || record.replaces === undefined) return undefined;
    switch (replaced.state) {
      case 'present': {
        const { attempt: _closed, replaces: id, ...rest } = record;
        const claim: ResourceRecord = { ...rest, id, outcome: 'created', claimedAt: new Date(now).toISOString(), ...partsOf(situation) };
        return write({ type: 'writeRecord', record: claim }, `${words.noun} ${id} is seen again: nothing takes its place`);
      }
      case 'missing':
        return wait('WaitingForCloud', `making sure that ${words.noun} ${record.replaces} is gone before another takes its place`, {
          afterMs: Math.max(replaced.again - now, 0),
        });
      case 'unknown':
        return unreadableCloud(situation, replaced.error, account.state === 'usable' ? account.account.troubledSince : undefined);
      case 'absent':
      case 'none':
        if (deletion.requested || mayBeReplaced(object, record.replaces)) return undefined;
        return lost(situation, record.replaces, '404');
    }
  };
}
