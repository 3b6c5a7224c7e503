import type { ListPoller } from '../../cloud/list-poller.ts';
import type { ObservedAccount } from '../credentials/accounts.ts';
import type { Interest } from '../wiring/list-subscriptions.ts';
import type { Facts, ListFacts } from '../situation/situation.ts';

/** The live parts of an observation, for acts, subscriptions and another read. No rule sees them. */
export interface Sources {
  readonly account: ObservedAccount;
  /** As in {@link Facts}: the list that shows the resource, and the list that shows the cloud's present work. */
  readonly list: ListPoller<unknown> | undefined;
  readonly progressList: ListPoller<unknown> | undefined;
  /** Other lists that this observation read, and the ids that concern the object. A change there wakes it. */
  readonly alsoRead: readonly Interest[];
}

/** The result of an observation: the facts for the rules, and their live sources. */
export interface Observation<F extends Facts = Facts> {
  readonly facts: F;
  readonly sources: Sources;
}

/**
 * The lists of an observation as facts.
 * @param id the id of the object's resource
 */
export function listFactsOf(
  { list, progressList }: Pick<Sources, 'list' | 'progressList'>,
  id: string | undefined,
): { readonly list: ListFacts | undefined; readonly progressList: ListFacts | undefined } {
  const facts = list && factsOf(list, id);
  return { list: facts, progressList: progressList === list ? facts : factsOf(progressList, id) };
}

function factsOf(
  list: ListPoller<unknown> | undefined,
  id: string | undefined,
): ListFacts | undefined {
  return (
    list && {
      begunAt: list.latest?.begunAt,
      isEmpty: list.latest?.items.size === 0,
      isDenied: id !== undefined && list.isDenied(id),
      failure: list.failure,
      failingSince: list.failingSince,
    }
  );
}
