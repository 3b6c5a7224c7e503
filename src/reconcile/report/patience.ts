import type { ManagedObject } from '../../resources/managed-object.ts';

/**
 * How long the operator keeps quiet about news of each kind, in milliseconds since the news began: the news
 * may be over by then.
 */
export const patienceMs = {
  /** Visits learn nothing, or cannot write. */
  trouble: 30_000,
  /** The same for an object whose present spec has no status yet: a user waits for it. */
  troubleAfterEdit: 4_000,
  /** The list that shows the cloud's work fails. */
  unreadWork: 30_000,
  /**
   * The cloud works. Its end is often known by then, and the same status reports both. Longer than the time
   * until the first poll shows the next state.
   */
  work: 1_500,
  /** The cloud's work shows no new state. It may never end. */
  workWithoutNewState: 600_000,
  /** A request of the present visit has no answer yet. In real time, as for all deadlines of the transport. */
  silence: 4_000,
} as const;

/** The kinds of news that the operator does not report at once. */
export type News = keyof typeof patienceMs;

/** Milliseconds until the operator reports this news; 0 once it is time. */
export function reportInMs(news: News, since: number, now: number): number {
  return Math.max(0, since + patienceMs[news] - now);
}

/** The kind of the trouble that delays an object. */
export function troubleOf({ metadata, status }: ManagedObject): News {
  return status?.observedGeneration === metadata.generation ? 'trouble' : 'troubleAfterEdit';
}
