import { CloudError, orCloudError } from '../../../cloud/cloud-error.ts';
import type { Found, ListPoller, Snapshot } from '../../../cloud/list-poller.ts';
import { vpcId } from '../../../cloud/wire/vpc.ts';
import type { Peering } from '../../../cloud/wire/peering.ts';
import { agreed, type Evidence } from '../../observe/agreed.ts';
import type { ObservedObject } from '../../observe/observe-object.ts';
import type { View } from '../../process/context.ts';
import { attemptOpenMs } from '../../record/attempt.ts';
import { firstSeen } from '../../situation/learned.ts';
import { completePeering, mayHaveKey, missingPeerings, peeringKey } from './peerings.ts';
import type { ObservedPeerings, VpcSituation } from './situation.ts';

type ObservedVpc = ObservedObject & Pick<VpcSituation, 'object'>;

/** Observes the peerings of a VPC. A failed call is an observation, too. */
export async function observePeerings(observed: ObservedVpc, context: View): Promise<ObservedPeerings> {
  const { usable: account, identity } = observed;
  if (!account || identity.state !== 'known') return { state: 'unneeded' };
  const seen = await orCloudError(peeringsIn(account.observer.peerings(vpcId.parse(identity.id)), observed, context));
  return seen instanceof CloudError ? { state: 'unknown', error: seen } : seen;
}

/** All peerings of a VPC. A list may lag, so each recorded peering that it lacks is looked for by itself. */
async function peeringsIn(list: ListPoller<Peering>, observed: ObservedVpc, { clock }: View): Promise<ObservedPeerings> {
  const recorded = Object.entries(observed.record.peerings ?? {});
  // Counted from the first observation by this process, not from the recorded time: the clock behind that time may be wrong.
  const pendingSince = recorded.flatMap(([key, peering]) =>
    'id' in peering ? [] : [firstSeen(observed, `peering ${key} ${peering.pendingSince}`)],
  );
  const now = clock.now();
  const latest = await list.since(isAwaited(observed, pendingSince) ? now : observed.notBefore);
  // Only a fresh list says that a peering is to be asked for.
  const missingFrom = ({ items }: Snapshot<Peering>) =>
    missingPeerings(
      observed,
      [...items.values()].map((seen) => completePeering(seen, observed)),
    );
  const first = missingFrom(latest).length > 0 ? await list.since(now) : latest;
  const unlisted = recorded.flatMap(([, peering]) => ('id' in peering && !first.items.has(peering.id) ? [peering.id] : []));
  const found = await Promise.all(
    unlisted.map((id) => list.find(id, { notBefore: first.begunAt, absentFrom: firstSeen(observed, `peering ${id}`) + attemptOpenMs })),
  );
  const missing = found.flatMap(({ state }, at) => (state === 'missing' ? [unlisted[at] ?? ''] : []));
  if (missing.length > 0) return { state: 'unknown', error: undefined, missing, shown: first };
  const pending = recorded.flatMap(([key, peering]) => ('id' in peering ? [] : [key]));
  const mayBeResult = (shown: Peering) => pending.some((key) => mayHaveKey(shown, key));
  const unexplained = await list.unexplained(first);
  // A list takes in the peering that its GET has found.
  const peerings = [...new Map([...first.items, ...found.flatMap(byId)]).values()].map((seen) => completePeering(seen, observed));
  const wanted = (observed.object.spec.peerings ?? []).map(peeringKey);
  return {
    state: 'read',
    asOf: first.begunAt,
    peerings,
    since: firstSeen(observed, `peerings ${statesOf(peerings.filter((shown) => wanted.some((key) => mayHaveKey(shown, key))))}`),
    unexplained,
    isConclusive:
      unexplained.length === 0 && (pendingSince.length === 0 || (await isNothingLeftOpen(first, { list, mayBeResult }, pendingSince))),
  };
}

/**
 * Whether two lists agree on the results of all unanswered requests.
 * @param pendingSince policy times at which this process first saw the requests
 */
export async function isNothingLeftOpen(
  first: Snapshot<Peering>,
  { list, mayBeResult }: { readonly list: Evidence<Peering, unknown>['list']; readonly mayBeResult: (shown: Peering) => boolean },
  pendingSince: readonly number[],
): Promise<boolean> {
  const closesAt = Math.max(...pendingSince) + attemptOpenMs;
  // The word of a peering may be another in each list.
  const conclude = (peerings: ReadonlyMap<string, Peering>) =>
    [...peerings.values()]
      .filter(mayBeResult)
      .map(({ id }) => id)
      .toSorted();
  return (await agreed(first, { list, closesAt, conclude })) !== undefined;
}

/** Whether only a new list can show the result of an earlier request. */
function isAwaited({ object: { metadata, status } }: ObservedObject, pendingSince: readonly number[]): boolean {
  return pendingSince.length > 0 || status?.lastOperation?.operation === 'deletePeering' || metadata.deletionTimestamp !== undefined;
}

function byId(found: Found<Peering>): readonly (readonly [string, Peering])[] {
  return found.state === 'present' ? [[found.resource.id, found.resource]] : [];
}

function statesOf(peerings: Iterable<Peering>): string {
  return [...peerings]
    .map(({ id, status }) => `${id} ${status ?? ''}`)
    .toSorted()
    .join(', ');
}
