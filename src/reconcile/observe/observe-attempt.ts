import { CloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller } from '../../cloud/list-poller.ts';
import type { Account } from '../account.ts';
import { attemptName, attemptOpenMs, judge, type AttemptSight, type Candidate } from '../attempt.ts';
import { connectionAnnotations } from '../connection/connection-secret.ts';
import { readSecret } from '../connection/store.ts';
import type { Context } from '../context.ts';
import type { Attempt } from '../record.ts';
import type { ManagedObject } from '../situation.ts';
import type { ObjectSight } from './observe-object.ts';
import { openAttempt } from './open-attempt.ts';

/** Where an attempt is looked for: the list of its kind, and how much an item of it looks like what was asked for. */
export interface AttemptPlace<T> {
  readonly list: ListPoller<T>;
  readonly candidate: (resource: T, attempt: Attempt) => Candidate | undefined;
}

interface AttemptOptions<T> extends AttemptPlace<T> {
  readonly object: ManagedObject;
  readonly attempt: Attempt;
  readonly account: Account;
  readonly context: Context;
}

/**
 * Finds out what became of an open create, if there is one: from the Secret that was stored with the answer, else from two lists that agree, the second begun
 * late enough for everything that was sent to show.
 */
export async function observeAttempt<T>(
  { record, object, usable: account }: ObjectSight,
  placeIn: (account: Account) => AttemptPlace<T> | undefined,
  context: Context,
): Promise<AttemptSight | undefined> {
  const attempt = openAttempt(record, object);
  if (!attempt) return undefined;
  const place = account && placeIn(account);
  if (!place) return { state: 'unknown', attempt, error: undefined };
  if (record.secretName !== undefined) {
    const secret = await readSecret(object.metadata.namespace, record.secretName, context);
    const id = secret?.metadata.annotations?.[connectionAnnotations.id];
    if (id !== undefined && secret?.metadata.annotations?.[connectionAnnotations.attempt] === attempt.id)
      return { state: 'stored', attempt, id };
  }
  try {
    return await lookForCandidates({ ...place, object, attempt, account, context });
  } catch (error) {
    if (error instanceof CloudError) return { state: 'unknown', attempt, error };
    throw error;
  }
}

async function lookForCandidates<T>({ object, attempt, account, list, candidate, context }: AttemptOptions<T>): Promise<AttemptSight> {
  const { clock, claims } = context;
  const name = attemptName(attempt);
  const nameIsOursAlone = object.spec.name === undefined;
  const verdictOf = (resources: Iterable<T>) => {
    const candidates = [...resources].map((resource) => candidate(resource, attempt)).filter((found) => found !== undefined);
    return judge(attempt, name, nameIsOursAlone, candidates, (id) => claims.ownerOf(object.kind, account.projectId, id) !== undefined);
  };
  const closesAt = Date.parse(attempt.at) + attemptOpenMs + clock.now() - account.cloudNow();
  const first = await list.since(clock.now());
  const verdict = verdictOf(first.items.values());
  // One resource under a name that nobody else would choose is the answer, whenever it is seen.
  if (nameIsOursAlone && verdict.kind === 'one') return { state: 'judged', attempt, verdict };
  if (first.begunAt < closesAt) return { state: 'looking', attempt, again: closesAt };
  const second = await list.since(first.begunAt + 1);
  const confirmed = verdictOf(second.items.values());
  return sameVerdict(verdict, confirmed)
    ? { state: 'judged', attempt, verdict }
    : { state: 'looking', attempt, again: clock.now() + 5_000 };
}

function sameVerdict(a: ReturnType<typeof judge>, b: ReturnType<typeof judge>): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
