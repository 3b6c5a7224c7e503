import { Groups, type ObjectReference } from '../../runtime/index.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';

/** A list of the cloud that an object needs, and the ids in it that concern the object. */
export interface Interest {
  readonly list: ListPoller<unknown>;
  readonly ids: readonly string[] | 'all';
}

/** The cloud has been working on an object's resource since this policy time, and a list shows the progress. */
export interface WatchedProgress {
  readonly list: ListPoller<unknown>;
  readonly id: string;
  readonly since: number;
}

/** A list without a subscription is not polled. */
export interface ListSubscriptions {
  /** Replaces the subscriptions of this object. A change of the ids wakes it. */
  follow(user: ObjectReference, interests: readonly Interest[]): void;
  /** The cloud is working for this object, or has finished. The list is polled often until then, or until the subscription ends. */
  trackProgress(user: ObjectReference, work: WatchedProgress | undefined): void;
  forget(user: ObjectReference): void;
}

/**
 * Makes the subscriptions of a process.
 * @param wake called for each object that a change in its lists concerns
 */
export function listSubscriptions(wake: (user: ObjectReference) => void): ListSubscriptions {
  const followed = new Map<ListPoller<unknown>, FollowedList>();
  const listsOf = new Groups<ObjectReference, ListPoller<unknown>>();
  const progressOf = new Map<ObjectReference, WatchedProgress>();

  const trackProgress = (user: ObjectReference, work: WatchedProgress | undefined) => {
    const before = progressOf.get(user);
    if (before && (before.list !== work?.list || before.id !== work.id))
      before.list.endProgress(before.id);
    if (work) progressOf.set(user, work);
    else progressOf.delete(user);
    work?.list.expectProgress(work.id, work.since);
  };
  const leave = (user: ObjectReference, list: ListPoller<unknown>) => {
    if (progressOf.get(user)?.list === list) trackProgress(user, undefined);
    if (followed.get(list)?.drop(user)) followed.delete(list);
    listsOf.remove(user, list);
  };
  return {
    follow(user, interests) {
      const ids = new Map<ListPoller<unknown>, readonly string[] | 'all'>();
      for (const { list, ids: more } of interests) {
        const known = ids.get(list);
        ids.set(
          list,
          known === 'all' || more === 'all' ? 'all' : known ? [...known, ...more] : more,
        );
      }
      for (const list of listsOf.of(user)) if (!ids.has(list)) leave(user, list);
      for (const [list, wanted] of ids) {
        const known = followed.get(list) ?? new FollowedList(list, wake);
        followed.set(list, known);
        known.take(user, wanted);
        listsOf.add(user, list);
      }
    },
    trackProgress,
    forget(user) {
      for (const list of listsOf.of(user)) leave(user, list);
    },
  };
}

class FollowedList {
  readonly #wanted = new Map<ObjectReference, readonly string[] | 'all'>();
  readonly #byId = new Groups<string, ObjectReference>();
  readonly #subscription: Disposable;

  constructor(list: ListPoller<unknown>, wake: (user: ObjectReference) => void) {
    this.#subscription = list.onChange((ids) => {
      const concerned = new Set([...ids, 'all'].flatMap((id) => this.#byId.of(id)));
      for (const user of concerned) wake(user);
    });
  }

  take(user: ObjectReference, ids: readonly string[] | 'all'): void {
    const before = this.#wanted.get(user);
    if (before !== undefined && String(before) === String(ids)) return;
    this.#clear(user);
    this.#wanted.set(user, ids);
    for (const id of placesOf(ids)) this.#byId.add(id, user);
  }

  /**
   * Ends the subscription of an object.
   * @returns whether this was the last subscriber; then the list is no longer listened to
   */
  drop(user: ObjectReference): boolean {
    this.#clear(user);
    if (this.#wanted.size > 0) return false;
    this.#subscription[Symbol.dispose]();
    return true;
  }

  #clear(user: ObjectReference): void {
    for (const id of placesOf(this.#wanted.get(user) ?? [])) this.#byId.remove(id, user);
    this.#wanted.delete(user);
  }
}

function placesOf(ids: readonly string[] | 'all'): readonly string[] {
  return ids === 'all' ? ['all'] : ids;
}
