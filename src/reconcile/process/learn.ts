import { CloudError } from '../../cloud/cloud-error.ts';
import { keyOf, objectReference, referenceOf, type Requeue, type ResourceKey } from '../../runtime/index.ts';
import type { Situation } from '../situation/situation.ts';
import type { Context } from './context.ts';

/** Takes in the result of an observation: its additions to memory, and its list subscriptions. A change in these lists wakes the object. */
export function learn(situation: Situation, { accounts, subscriptions, memory }: Context): void {
  const { object, account, identity, deletion, list, progressList } = situation;
  const user = referenceOf(object);
  Object.assign(memory.of(object.kind, keyOf(object)), situation.learned);
  // The subscriptions of a key that is unreachable now stay, since it may be reachable soon.
  if (account.state === 'unavailable') return;
  if (account.state === 'notAsked' || account.state === 'missing') accounts.forget(user);
  if (account.state !== 'usable') {
    subscriptions.follow(user, []);
    return;
  }
  const dependents = deletion.dependents instanceof CloudError ? [] : (deletion.dependents ?? []);
  subscriptions.follow(user, [
    ...(list ? [{ list, ids: identity.state === 'known' ? [identity.id] : [] }] : []),
    ...(progressList && progressList !== list ? [{ list: progressList, ids: 'all' as const }] : []),
    ...dependents.map((dependent) => ({ list: dependent.list, ids: [dependent.id] })),
  ]);
}

/** Drops all memory and subscriptions of an object that is gone. */
export function forget(kind: string, key: ResourceKey, { accounts, subscriptions, memory, loops }: Context): Requeue {
  const user = objectReference(kind, key);
  accounts.forget(user);
  subscriptions.forget(user);
  memory.forget(kind, key);
  loops.forget(user);
  return 'forget';
}
