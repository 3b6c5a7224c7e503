import type { ListPoller } from '../cloud/list-poller.ts';
import type { User } from './user.ts';

/** Which lists of the cloud are polled, and for whom: a list that nobody needs any more is not asked for. */
export interface Following {
  /**
   * From now on a change in the list wakes whom it concerns, until `user` is forgotten.
   * @param concernedBy who is concerned by an id of this list
   */
  follow(list: ListPoller<unknown>, user: User, concernedBy: (id: string) => Iterable<User>): void;
  forget(user: User): void;
}

export function following(wake: (user: User) => void): Following {
  const followed = new Map<ListPoller<unknown>, { readonly users: Set<User>; readonly subscription: Disposable }>();
  const listsOf = new Map<User, Set<ListPoller<unknown>>>();
  const subscribe = (list: ListPoller<unknown>, concernedBy: (id: string) => Iterable<User>) =>
    list.onChange((ids) => {
      const users = new Set([...ids].flatMap((id) => [...concernedBy(id)]));
      for (const user of users) wake(user);
    });
  return {
    follow(list, user, concernedBy) {
      const known = followed.get(list) ?? { users: new Set(), subscription: subscribe(list, concernedBy) };
      followed.set(list, known);
      known.users.add(user);
      listsOf.set(user, (listsOf.get(user) ?? new Set()).add(list));
    },
    forget(user) {
      for (const list of listsOf.get(user) ?? []) {
        const known = followed.get(list);
        known?.users.delete(user);
        if (known?.users.size !== 0) continue;
        known.subscription[Symbol.dispose]();
        followed.delete(list);
      }
      listsOf.delete(user);
    },
  };
}
