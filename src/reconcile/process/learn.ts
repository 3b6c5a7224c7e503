import { CloudError } from '../../cloud/cloud-error.ts';
import { keyOf, objectReference, referenceOf, type Requeue, type ResourceKey } from '../../runtime/index.ts';
import type { Situation } from '../situation/situation.ts';
import type { Context } from './context.ts';

/** Takes in what a look has taught. The lists that show it are polled from now on, and no others, and what concerns the object there wakes it. */
export function learn(situation: Situation, { accounts, following, memory }: Context): void {
  const { object, account, identity, deletion, list, progressList } = situation;
  const user = referenceOf(object);
  Object.assign(memory.of(object.kind, keyOf(object)), situation.learned);
  // The subscriptions of a key that is unreachable now stay, since it may be reachable soon.
  if (account.state === 'unavailable') return;
  if (account.state === 'notAsked' || account.state === 'missing') accounts.forget(user);
  if (account.state !== 'usable') {
    following.follow(user, []);
    return;
  }
  const dependents = deletion.dependents instanceof CloudError ? [] : (deletion.dependents ?? []);
  following.follow(user, [
    ...(list ? [{ list, ids: identity.state === 'known' ? [identity.id] : [] }] : []),
    ...(progressList && progressList !== list ? [{ list: progressList, ids: 'all' as const }] : []),
    ...dependents.map((dependent) => ({ list: dependent.list, ids: [dependent.id] })),
  ]);
}

/** The object is gone: nothing is kept for it any more. */
export function forget(kind: string, key: ResourceKey, { accounts, following, memory, loops }: Context): Requeue {
  const user = objectReference(kind, key);
  accounts.forget(user);
  following.forget(user);
  memory.forget(kind, key);
  loops.forget(user);
  return 'forget';
}
