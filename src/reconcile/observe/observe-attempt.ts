import { CloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller, Snapshot } from '../../cloud/list-poller.ts';
import type { Account } from '../account.ts';
import { attemptOpenMs, certain, inQuestion, isOursAlone, judge, type AttemptSight, type Candidate, type Verdict } from '../attempt.ts';
import { connectionAnnotations } from '../connection/connection-secret.ts';
import { isOurs } from '../connection/ours.ts';
import { readSecret } from '../connection/store.ts';
import type { Context } from '../context.ts';
import { keyOf } from '../../runtime/kubernetes-object.ts';
import { firstSeen } from '../memory.ts';
import type { Attempt } from '../record.ts';
import type { ManagedObject } from '../situation.ts';
import { listIsComplete } from './list-is-complete.ts';
import type { ObjectSight } from './observe-object.ts';

/** Where an attempt is looked for: the list of its kind, and how much an item of it looks like what was asked for. */
export interface AttemptPlace<T> {
  readonly list: ListPoller<T>;
  readonly candidate: (resource: T, attempt: Attempt) => Candidate | undefined;
  /** For a list of what hangs on one resource. */
  readonly parentId?: string;
  /** For a kind that can be asked for one by one. */
  readonly get?: (id: string) => Promise<T>;
}

interface AttemptOptions<T> extends AttemptPlace<T> {
  readonly object: ManagedObject;
  readonly attempt: Attempt;
  readonly account: Account;
  /** The id that the connection Secret says this attempt has made. */
  readonly stored: string | undefined;
  readonly context: Context;
}

const lookAgainMs = 5_000;

/**
 * Finds out what became of an open create, if there is one: from the Secret that was stored with the answer, else from two lists that agree, the second begun
 * late enough for everything that was sent to show.
 */
export async function observeAttempt<T>(
  { record, object, open: attempt, usable: account }: ObjectSight,
  placeIn: (account: Account) => AttemptPlace<T> | undefined,
  context: Context,
): Promise<AttemptSight | undefined> {
  if (!attempt) return undefined;
  const place = account && placeIn(account);
  if (!place) return { state: 'unknown', attempt, error: undefined };
  const stored = record.secretName === undefined ? undefined : await storedAnswer(object, attempt, record.secretName, context);
  try {
    return await lookForCandidates({ ...place, object, attempt, account, stored, context });
  } catch (error) {
    if (error instanceof CloudError) return { state: 'unknown', attempt, error };
    throw error;
  }
}

async function storedAnswer(object: ManagedObject, attempt: Attempt, name: string, context: Context): Promise<string | undefined> {
  const secret = await readSecret(object.metadata.namespace, name, context);
  if (!secret || !isOurs(secret, object)) return undefined;
  const texts = secret.metadata.annotations;
  return texts?.[connectionAnnotations.attempt] === attempt.id ? texts[connectionAnnotations.id] : undefined;
}

async function lookForCandidates<T>(options: AttemptOptions<T>): Promise<AttemptSight> {
  const { object, attempt, account, list, stored, context } = options;
  const { clock, policy, memory } = context;
  // Counted from here on, whatever time stands beside it: the clock that wrote it, or the cloud's, may be wrong.
  const closesAt = firstSeen(memory.of(object.kind, keyOf(object)), `attempt ${attempt.id}`, clock.now()) + attemptOpenMs;
  const first = await list.since(clock.now());
  const candidates = candidatesIn(first, options);
  // Anybody who may write Secrets can make one that names an id: what it names must carry the name that this attempt chose.
  if (stored !== undefined && candidates.some(({ id }) => id === stored)) return { state: 'stored', attempt, id: stored };
  const verdict = judge(attempt, candidates);
  // One resource under a name that nobody else would choose is the answer, whenever it is seen.
  if (isOursAlone(attempt) && verdict.kind === 'one') return { state: 'judged', attempt, verdict };
  if (first.begunAt < closesAt) return { state: 'looking', attempt, again: stored === undefined ? closesAt : clock.now() + lookAgainMs };
  const second = await list.since(first.begunAt + 1);
  const confirmed = judge(attempt, candidatesIn(second, options));
  const { parentId, get } = options;
  const isWhole = ({ listed }: Snapshot<T>) =>
    listIsComplete({ kind: object.kind, projectId: account.projectId, listed, parentId, get }, context);
  const areWhole = (await isWhole(first)) && (await isWhole(second));
  if (!areWhole || !isSame(verdict, confirmed)) return { state: 'looking', attempt, again: clock.now() + lookAgainMs };
  return { state: 'judged', attempt, verdict: certain(attempt, verdict, policy) };
}

function candidatesIn<T>(
  { items }: Snapshot<T>,
  { attempt, candidate, object, account, context }: AttemptOptions<T>,
): readonly Candidate[] {
  const candidates = [...items.values()].map((resource) => candidate(resource, attempt)).filter((found) => found !== undefined);
  return inQuestion(attempt, candidates, (id) => context.claims.ownerOf(object.kind, account.projectId, id) !== undefined);
}

function isSame(a: Verdict, b: Verdict): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
