import { vpcId, type Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import type { ResourceKey } from '../../../runtime/index.ts';
import type { Account, ObservedAccount } from '../../credentials/accounts.ts';
import type { View } from '../../wiring/context.ts';
import { observeAttempt } from '../../observe/observe-creation.ts';
import { observePhase } from '../../observe/observe-phase.ts';
import { factsOf, observeObject, type ObservedObject } from '../../observe/observe-object.ts';
import { listFactsOf, type Observation, type Sources } from '../../observe/sources.ts';
import {
  absentFrom,
  type CloudPlace,
  type FixedFields,
  observeAlone,
  observeResource,
} from '../../observe/observe-by-id.ts';
import { vpcDependents } from './dependents.ts';
import { CloudError, orCloudError } from '../../../cloud/cloud-error.ts';
import type { Found, ListPoller, Snapshot } from '../../../cloud/list-poller.ts';
import type { Peering } from '../../../cloud/wire/peering.ts';
import { attemptOpenMs } from '../../ledger/attempt.ts';
import { peeringIds } from '../../ledger/record.ts';
import { firstSeen } from '../../situation/history.ts';
import { peeringPlan } from './peering-plan.ts';
import type { ObservedPeerings, VpcFacts } from './situation.ts';

/**
 * Reads everything on which the rules decide, and changes nothing. Undefined if the object is
 * gone.
 */
export async function observeVpc(
  key: ResourceKey,
  context: View,
): Promise<Observation<VpcFacts> | undefined> {
  const object = context.caches.of('ManagedVpc').get(key);
  if (!object) return undefined;
  const observed = await observeObject(object, 'VPC', context);
  const placeIn = vpcPlaceOf(object);
  const attempt = await observeAttempt(observed, placeIn, context);
  const cloud = await observeResource(observed, placeIn);
  const isWanted =
    (object.spec.peerings ?? []).length > 0 ||
    Object.keys(observed.record.peerings ?? {}).length > 0;
  const { phase, interests } = await observePhase(
    observed,
    { cloud, placeIn, dependents: (notBefore) => vpcDependents(observed, context, notBefore) },
    context,
  );
  const peerings =
    cloud.state === 'present' && isWanted
      ? await observePeerings({ ...observed, object }, context)
      : ({ state: 'unneeded' } as const);
  const read = { ...factsOf(observed), object, cloud, attempt, ...phase, peerings };
  const sources = { ...listsOf(read, observed.live), account: observed.live, alsoRead: interests };
  return { facts: { ...read, ...listFactsOf(sources, observed.record.id) }, sources };
}

/** The peerings show the progress, except during a rename or a deletion. */
function listsOf(
  facts: Pick<VpcFacts, 'object' | 'cloud' | 'record' | 'peerings' | 'deletion'>,
  live: ObservedAccount,
): Pick<Sources, 'list' | 'progressList'> {
  const { object, cloud, record, peerings, deletion } = facts;
  if (live.state !== 'usable') return { list: undefined, progressList: undefined };
  const { observer } = live.account;
  const { operation, wanted } = object.status?.lastOperation ?? {};
  const isBeingRenamed =
    operation === 'renameVpc' && cloud.state === 'present' && cloud.resource.name !== wanted;
  const isAboutPeerings = peerings.state !== 'unneeded' && !deletion.requested && !isBeingRenamed;
  return {
    list: observer.vpcs,
    progressList:
      isAboutPeerings && record.id !== undefined
        ? observer.peerings(vpcId.parse(record.id))
        : observer.vpcs,
  };
}

function vpcPlaceOf({ spec }: ManagedVpc) {
  return ({ observer, project }: Account): CloudPlace<Vpc> => ({
    list: observer.vpcs,
    get: (id) => project.getVpc(vpcId.parse(id), { priority: 'edit' }),
    fixed: (vpc) => fixedOfVpc(spec, vpc),
  });
}

/** The fixed fields that a reply shows. Pure. */
export function fixedOfVpc(spec: ManagedVpc['spec'], vpc: Vpc): FixedFields {
  return [
    ['spec.cidr', spec.cidr, vpc.cidr],
    ['spec.regionCode', spec.regionCode, vpc.region_code],
  ];
}

/** The same facts with the resource as the cloud shows it alone. The answer goes into the snapshot. */
export async function rereadVpc(facts: VpcFacts, account: Account): Promise<VpcFacts> {
  const place = vpcPlaceOf(facts.object)(account);
  return { ...facts, cloud: await observeAlone(facts, place) };
}

type ObservedVpc = ObservedObject & Pick<VpcFacts, 'object'>;

async function observePeerings(observed: ObservedVpc, context: View): Promise<ObservedPeerings> {
  const { usable: account, record } = observed;
  if (!account || record.id === undefined) return { state: 'unneeded' };
  const seen = await orCloudError(
    peeringsIn(account.observer.peerings(vpcId.parse(record.id)), observed, context),
  );
  return seen instanceof CloudError ? { state: 'unknown', error: seen } : seen;
}

/** All peerings of a VPC. A list may lag, so each recorded peering that is missing from it is looked for by itself. */
async function peeringsIn(
  list: ListPoller<Peering>,
  observed: ObservedVpc,
  { clock }: View,
): Promise<ObservedPeerings> {
  const { object, record, notBefore } = observed;
  const openUntil = unansweredIn(observed);
  const now = clock.now();
  const { peerings: wanted = [] } = object.spec;
  const hasAllWanted = ({ items }: Snapshot<Peering>) =>
    peeringPlan({ wanted, record, shown: [...items.values()], open: [] }).every(
      (task) => task.do !== 'request',
    );
  const latest = await list.since(isAwaited(observed) ? now : notBefore);
  // Only a fresh list says that a peering is to be requested.
  const first = hasAllWanted(latest) ? latest : await list.since(now);
  for (const item of first.items.values()) {
    const unreadable = list.unreadable(item);
    if (unreadable) throw unreadable;
  }
  const unlisted = peeringIds(record).filter((id) => !first.items.has(id));
  const found = await Promise.all(
    unlisted.map((id) =>
      list.find(id, { notBefore: first.begunAt, absentFrom: absentFrom(observed, 'peering', id) }),
    ),
  );
  const unproven = unlisted.filter((_id, at) => found[at]?.state === 'missing');
  // A deletion needs only the recorded peerings.
  const missing =
    unproven.length > 0 || object.metadata.deletionTimestamp
      ? unproven
      : await list.unexplained(first);
  // A list takes in the peering that its GET has found.
  const peerings = [...new Map([...first.items, ...found.flatMap(byId)]).values()];
  const acceptedAt = new Map(peerings.map(({ id }) => [id, list.removalAcceptedAt(id)]));
  const shown = { peerings, listed: first.listed, acceptedAt, asOf: first.begunAt };
  if (missing.length > 0) return { state: 'unknown', error: undefined, missing, shown };
  const open = [...openUntil].flatMap(([key, until]) => (until > first.begunAt ? [key] : []));
  const states = peerings.map(({ id, status = '' }) => `${id} ${status}`).toSorted();
  return {
    state: 'read',
    ...shown,
    open,
    since: firstSeen(observed, `peerings ${states.join(', ')}`),
  };
}

/** Whether only a new list can show the result of an earlier request. */
function isAwaited({ object: { metadata, status } }: ObservedVpc): boolean {
  return (
    status?.lastOperation?.operation === 'deletePeering' || metadata.deletionTimestamp !== undefined
  );
}

/** The peering with its id as the key, if the cloud shows it. */
function byId(found: Found<Peering>): readonly (readonly [string, Peering])[] {
  return found.state === 'present' ? [[found.resource.id, found.resource]] : [];
}

/** The requests without an answer, by their keys, with the policy time at which a list must begin to show their results. */
function unansweredIn(observed: ObservedVpc): ReadonlyMap<string, number> {
  const recorded = Object.entries(observed.record.peerings ?? {});
  return new Map(
    recorded.flatMap(([key, peering]) =>
      'id' in peering
        ? []
        : [[key, firstSeen(observed, `peering ${key} ${peering.pendingSince}`) + attemptOpenMs]],
    ),
  );
}
