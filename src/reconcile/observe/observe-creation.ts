import type { Attempt } from '../../resources/ledger-entry.ts';
import { isDeepStrictEqual } from 'node:util';
import { CloudError, orCloudError } from '../../cloud/cloud-error.ts';
import type { ListPoller, Snapshot } from '../../cloud/list-poller.ts';
import {
  attemptOpenMs,
  hasGeneratedName,
  judge,
  mayBeNew,
  type ObservedAttempt,
} from '../ledger/attempt.ts';
import { listLagMs } from '../ledger/record.ts';
import type { View } from '../wiring/context.ts';
import { isClaimedBesides } from '../wiring/claims.ts';
import { firstSeen, isToBeReplaced } from '../situation/history.ts';
import { intervals } from '../step/intervals.ts';
import type { ObservedObject } from './observe-object.ts';
import type { CloudPlaceIn, CloudPlace, FixedFields } from './observe-by-id.ts';
import { externalIdIn } from '../../resources/annotations.ts';
import { keyOf } from '../../runtime/index.ts';
import { differs, text } from '../decide/pending-change.ts';
import type { ObservedResource, ObservedAdoption, SameNames } from '../situation/situation.ts';

interface Named {
  readonly name?: string | undefined;
}

/**
 * Looks for the result of the open create of an object. Undefined without an open create.
 * `unknown` if the cloud or the place of the resource cannot be read.
 */
export async function observeAttempt<T extends Named>(
  observed: ObservedObject,
  placeIn: CloudPlaceIn<T>,
  { clock, claims }: View,
): Promise<ObservedAttempt | undefined> {
  const {
    object,
    usable: account,
    record: { attempt },
  } = observed;
  if (!attempt) return undefined;
  const place = account && placeIn(account);
  if (!place) return { state: 'unknown', attempt, error: undefined };
  const { list } = place;
  const isClaimed = isClaimedBesides(
    attempt,
    { kind: object.kind, projectId: account.projectId },
    claims,
  );
  const closesAt = firstSeen(observed, `attempt ${attempt.id}`) + attemptOpenMs;
  const seen = await orCloudError(
    resolveAttempt({ attempt, closesAt, list, isClaimed, now: () => clock.now() }),
  );
  if (!(seen instanceof CloudError)) return seen;
  const isPlaceGone = seen.kind === 'notFound' && (await place.isPlaceGone?.(clock.now()));
  if (!isPlaceGone) return { state: 'unknown', attempt, error: seen };
  // A parent that is gone has no children, and accepts no late requests. A created child is lost with it.
  return { state: 'judged', attempt, verdict: { kind: 'none' } };
}

/** The facts from which {@link resolveAttempt} decides. */
export interface AttemptEvidence<T> {
  readonly attempt: Attempt;
  /** Policy time after which lists show every request that was sent. */
  readonly closesAt: number;
  readonly list: Pick<ListPoller<T>, 'since' | 'unexplained' | 'operation'>;
  readonly isClaimed: (id: string) => boolean;
  readonly now: () => number;
}

/**
 * Finds the result of an attempt: the conclusion of two complete lists that agree, and began late enough.
 * @throws {CloudError} when the cloud cannot be read
 */
export async function resolveAttempt<T extends Named>({
  attempt,
  closesAt,
  list,
  isClaimed,
  now,
}: AttemptEvidence<T>): Promise<ObservedAttempt> {
  const first = await list.since(now());
  const verdict = judge(attempt, first.items, isClaimed);
  const judged = { state: 'judged', attempt, verdict } as const;
  // A single resource under a generated name is the result, at any time.
  if (verdict.kind === 'one') return judged;
  const looking = { state: 'looking', attempt, again: nextLook(attempt, closesAt, now()) } as const;
  if (first.begunAt < closesAt) return looking;
  const second = await list.since(first.begunAt + 1);
  for (const snapshot of [first, second]) {
    // If known resources are missing from a list, so may be the result.
    if ((await list.unexplained(snapshot)).length > 0) return looking;
    const unnamed = unnamedIn(snapshot, list, (id) => mayBeNew(attempt, id, isClaimed));
    if (unnamed) throw unnamed;
  }
  return isDeepStrictEqual(verdict, judge(attempt, second.items, isClaimed)) ? judged : looking;
}

/** Ages of an attempt, in milliseconds, at which a list may already show its result. Lists usually lag by seconds. */
const earlyLooksMs = [1_000, 3_000, 8_000, 20_000, 60_000];

/** Only a generated name resolves an attempt early. */
function nextLook(attempt: Attempt, closesAt: number, now: number): number {
  const openedAt = closesAt - attemptOpenMs;
  const early = hasGeneratedName(attempt)
    ? earlyLooksMs.find((age) => openedAt + age > now)
    : undefined;
  return early === undefined ? Math.max(closesAt, now + intervals.forCloudMs) : openedAt + early;
}

/** The error of a list with such a resource without a name: the resource may have any name. */
function unnamedIn<T extends Named>(
  { items }: Snapshot<T>,
  { operation }: Pick<ListPoller<T>, 'operation'>,
  matters: (id: string) => boolean,
): CloudError | undefined {
  const [id] = [...items].find(([each, { name }]) => name === undefined && matters(each)) ?? [];
  if (id === undefined) return undefined;
  return new CloudError({
    operation,
    kind: 'unreadable',
    sent: true,
    fromApi: false,
    field: `the name of ${id}: expected string`,
  });
}

/**
 * Reads the resource that the annotation `external-id` names, and compares it with the spec. It
 * reads nothing unless the object is without a resource, or may replace a lost resource.
 */
export async function observeAdoption<T extends Named>(
  { object, usable: account, record, claim, options, leftovers = [] }: ObservedObject,
  cloud: ObservedResource<unknown>,
  placeIn: CloudPlaceIn<T>,
  context: View,
): Promise<ObservedAdoption> {
  const id = externalIdIn(object);
  const isReplacement =
    cloud.state === 'absent' && isToBeReplaced({ object, record }) && id !== record.id;
  const isFree = record.id === undefined || isReplacement;
  if (id === undefined || !isFree || claim.state !== 'ours') return { state: 'notAsked' };
  if (!account) return { state: 'unknown', id, error: undefined };
  const isAllowed =
    !account.operatorsOwn ||
    options.sharedProjectAdoption ||
    leftovers.some((each) => each.id === id);
  if (!isAllowed && leftovers.every(({ asked }) => asked === undefined))
    return { state: 'notAllowed', id };
  const owner = context.claims.ownerOf(object.kind, account.projectId, id);
  if (owner) return { state: 'owned', id, owner };
  const place = placeIn(account);
  if (!place) return { state: 'unknown', id, error: undefined };
  const found = await orCloudError(lookIn(place, id, context));
  if (found instanceof CloudError) return { state: 'unknown', id, error: found };
  if (!found || place.list.isLeaving(found)) return { state: 'notFound', id };
  // The answer to a create in flight would be without an owner.
  const maker =
    found.name === undefined
      ? undefined
      : context.claims.openCreateOf(object.kind, account.projectId, { id, name: found.name });
  // The create of an earlier object of this name is left to this object: the earlier object is gone.
  const isLeft =
    maker !== undefined && maker.uid !== object.metadata.uid && maker.key === keyOf(object);
  if (maker && maker.uid !== object.metadata.uid && !isLeft)
    return { state: 'owned', id, owner: maker };
  if (!isAllowed && !isLeft) return { state: 'notAllowed', id };
  const mismatch = firstMismatch(place.fixed(found));
  return mismatch === undefined ? { state: 'found', id } : { state: 'mismatch', id, mismatch };
}

async function lookIn<T extends Named>(
  { list, get }: CloudPlace<T>,
  id: string,
  { clock }: View,
): Promise<T | undefined> {
  const { items } = await list.since(clock.now() - listLagMs);
  const found = items.get(id) ?? (await orCloudError(get(id)));
  if (!(found instanceof CloudError)) {
    const unreadable = found && list.unreadable(found);
    if (unreadable) throw unreadable;
    return found;
  }
  // An id that the cloud rejects as invalid names no resource either.
  if (found.kind === 'notFound' || found.kind === 'invalid') return undefined;
  throw found;
}

/** Such as `spec.cidr (wanted 10.0.0.0/16, is 10.1.0.0/16)`. */
function firstMismatch(fields: FixedFields): string | undefined {
  const found = fields.find(([, wanted, actual]) => differs(wanted, actual));
  return found && `${found[0]} (wanted ${text(found[1])}, is ${text(found[2])})`;
}

/** A recent list is enough to ask the user. Only a list of this visit proves that a name is free. */
export async function sameNames<T extends Named>(
  { object, usable: account, record, now }: ObservedObject,
  placeIn: CloudPlaceIn<T>,
  context: View,
): Promise<SameNames> {
  const { name } = object.spec;
  const isCreating = record.id === undefined || isToBeReplaced({ object, record });
  const list = account && isCreating ? placeIn(account)?.list : undefined;
  if (!account || !list || name === undefined) return { state: 'read', ids: [], unclaimed: [] };
  const isUnclaimed = (id: string) => !context.claims.ownerOf(object.kind, account.projectId, id);
  const isTaken = [...(list.latest?.items ?? [])].some(
    ([id, item]) => item.name === name && id !== record.id && isUnclaimed(id),
  );
  const listed = await orCloudError(list.since(isTaken ? now - listLagMs : now));
  if (listed instanceof CloudError) return { state: 'unknown', error: listed };
  const missing = await orCloudError(list.unexplained(listed));
  if (missing instanceof CloudError) return { state: 'unknown', error: missing };
  if (missing.length > 0) return { state: 'unknown', error: undefined, missing };
  const unnamed = unnamedIn(listed, list, (id) => id !== record.id && isUnclaimed(id));
  if (unnamed) return { state: 'unknown', error: unnamed };
  const ids = [...listed.items]
    .filter(([id, item]) => item.name === name && id !== record.id)
    .map(([id]) => id);
  return { state: 'read', ids, unclaimed: ids.filter(isUnclaimed) };
}
