import { entryOf, passwordOf } from '../../ledger/entry.ts';
import {
  observeAlone,
  type CloudPlace,
  type FixedFields,
  absentFrom,
  observeById,
} from '../../observe/observe-by-id.ts';
import { serviceId, type ServiceId, type Service } from '../../../cloud/wire/service.ts';
import type { ReplicaSet as CloudReplicaSet } from '../../../cloud/wire/replica-set.ts';
import type { ReplicaSet } from '../../../resources/replica-set.ts';
import type { ResourceKey } from '../../../runtime/index.ts';
import type { Account } from '../../credentials/accounts.ts';
import type { ObservedResource, Reference } from '../../situation/situation.ts';
import type { Connection } from '../../step/connection.ts';
import { secretVersionIn } from '../../connection/projection.ts';
import { observeOwnConnection } from '../../connection/observe-connection.ts';
import { secretNameOf } from '../../../resources/connection-secret.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import type { View } from '../../wiring/context.ts';
import { observeAttempt } from '../../observe/observe-creation.ts';
import { observePhase } from '../../observe/observe-phase.ts';
import { factsOf, observeObject, type ObservedObject } from '../../observe/observe-object.ts';
import { listFactsOf, type Observation } from '../../observe/sources.ts';
import {
  inState,
  serviceOf,
  serviceReference,
  stoppedServiceOf,
} from '../../observe/references.ts';
import { isToBeReplaced } from '../../situation/history.ts';
import { endpointsIn } from '../mirror.ts';
import type { Mirror, ReplicaSetFacts } from './situation.ts';
import { intervals } from '../../step/intervals.ts';
import { parentIn, replicaSetSituationOf, shownReplicaSet } from './situation-of.ts';

/**
 * Reads everything on which the rules decide, and changes nothing. Undefined if the object is
 * gone.
 */
export async function observeReplicaSet(
  key: ResourceKey,
  context: View,
): Promise<Observation<ReplicaSetFacts> | undefined> {
  const object = context.caches.of('ReplicaSet').get(key);
  if (!object) return undefined;
  const observed = await observeObject(object, 'replica set', context);
  const account = observed.usable;
  const parentId = parentIn(observed.record);
  const askedOn = serviceId.safeParse(observed.record.attempt?.request['parentId']).data;
  const attempt = await observeAttempt(observed, placeOn(askedOn, object), context);
  const cloud = await observeInParent(observed, parentId, context);
  const isToBeMade = isToBeCreated(observed, { cloud, attempt });
  // The spec may name another service than the parent of the existing replica set.
  const place: Reference<ServiceId> =
    isToBeMade || parentId === undefined
      ? serviceReference(object, serviceOf(object), observed.account, context)
      : { state: 'found', id: parentId };
  const placeId = place.state === 'found' ? place.id : undefined;
  const service = parentId === undefined ? undefined : parentObject(observed, parentId, context);
  const { labels = {}, annotations = {} } = object.spec.connectionSecret ?? {};
  const wantedSecret = {
    name: secretNameOf(object),
    labels,
    annotations,
    connection: connectionOf(
      object,
      cloud.state === 'present'
        ? shownReplicaSet({ object, record: observed.record }, cloud.resource)
        : undefined,
      service,
      context,
    ),
  };
  // Without an object of the service in this namespace, only the list of services shows its stop.
  const readIds = [
    isToBeMade ? placeId : undefined,
    isToBeMade || !service ? parentId : undefined,
  ].filter((id) => id !== undefined);
  const alsoReading = (ids: readonly string[]) =>
    account && ids.length > 0 ? [{ list: account.observer.services, ids }] : [];
  const { phase, interests } = await observePhase(
    observed,
    { cloud, placeIn: placeOn(placeId, object), dependents: () => Promise.resolve([]) },
    context,
  );
  const { live } = observed;
  const list =
    live.state === 'usable' && parentId !== undefined
      ? live.account.observer.replicaSets(parentId)
      : undefined;
  const readyHere = { states: ['READY'], namespace: object.metadata.namespace };
  const sources = { account: live, list, progressList: list };
  const facts: ReplicaSetFacts = {
    ...factsOf(observed),
    object,
    cloud,
    parent: isToBeMade ? await inState(place, readyHere, account, context) : place,
    attempt,
    stoppedService:
      parentId &&
      (service
        ? stoppedServiceOf(parentId, service, context)
        : stopOf(await inState({ state: 'found', id: parentId }, readyHere, account, context))),
    ...phase,
    secret: await observeOwnConnection(
      observed,
      cloud.state === 'present' ? wantedSecret : undefined,
      service && passwordOf(entryOf(service, context.caches), parentId),
      context,
    ),
    ...listFactsOf(sources, observed.record.id),
  };
  const hasNoChange = replicaSetSituationOf(facts).pendingChanges.length === 0;
  if (isToBeMade || placeId === undefined || hasNoChange)
    return { facts, sources: { ...sources, alsoRead: [...interests, ...alsoReading(readIds)] } };
  const parent = await inState(place, readyHere, account, context);
  return {
    facts: { ...facts, parent },
    sources: { ...sources, alsoRead: [...interests, ...alsoReading([placeId])] },
  };
}

/** The stop of a service without an object in this namespace: no spec here asks for it. */
function stopOf(service: Reference<ServiceId>): ReplicaSetFacts['stoppedService'] {
  return 'isStopped' in service ? { message: service.message, isReady: false } : undefined;
}

/** Whether a create follows: there was none, it came to nothing, or a user allowed a replacement of the lost replica set. */
function isToBeCreated(
  observed: ObservedObject,
  { cloud, attempt }: Pick<ReplicaSetFacts, 'cloud' | 'attempt'>,
): boolean {
  const cameToNothing = attempt?.state === 'judged' && attempt.verdict.kind === 'none';
  const isReplaced = cloud.state === 'absent' && isToBeReplaced(observed);
  return cloud.state === 'none' || cameToNothing || isReplaced;
}

/** The replica sets of a service. The cloud has no GET for a replica set, but a LIST of this service. */
function placeOn(parentId: ServiceId | undefined, { spec }: ReplicaSet) {
  return (account: Account): CloudPlace<CloudReplicaSet> | undefined =>
    parentId && {
      list: account.observer.replicaSets(parentId),
      get: async (id) =>
        (await account.project.listReplicaSets(parentId, { priority: 'edit' })).find(
          (set) => set.id === id,
        ),
      fixed: (set) => fixedOfReplicaSet(spec, set),
      isPlaceGone: async (notBefore) =>
        (await observeParent(account, parentId, notBefore)).state === 'absent',
    };
}

/** The fixed fields that a reply shows. The list of its service shows the set, so the parent needs no row. Pure. */
export function fixedOfReplicaSet(spec: ReplicaSet['spec'], set: CloudReplicaSet): FixedFields {
  return [
    ['spec.name', spec.name, set.name],
    ['spec.nodes', spec.nodes, set.nodes],
  ];
}

/** The same facts with the resource as the cloud shows it alone. The answer goes into the snapshot. */
export async function rereadReplicaSet(
  facts: ReplicaSetFacts,
  account: Account,
): Promise<ReplicaSetFacts> {
  const place = placeOn(parentIn(facts.record), facts.object)(account);
  return place ? { ...facts, cloud: await observeAlone(facts, place) } : facts;
}

/**
 * The inputs of the connection Secret, except for its password.
 * @param service the parent, whose user and database are used if the spec names none
 */
function connectionOf(
  object: ReplicaSet,
  set: Mirror | undefined,
  service: ManagedService | undefined,
  { database }: View,
): Connection {
  const own = object.spec.connectionSecret;
  // Without an object of its service, the Secret keeps its user and database.
  const of = service ? service.spec.connectionSecret : secretVersionIn(object);
  return {
    username: own?.username ?? of?.username ?? database.user,
    database: own?.database ?? of?.database ?? database.name,
    ...endpointsIn(set),
  };
}

/** The object of the parent, if it is in the same namespace: a password never leaves its namespace. */
function parentObject(
  { object, usable, record }: ObservedObject,
  parentId: ServiceId,
  context: View,
): ManagedService | undefined {
  const owner = context.claims.ownerOf(
    'ManagedService',
    usable?.projectId ?? record.projectId ?? '',
    parentId,
  );
  const service = owner && context.caches.of('ManagedService').get(owner.key);
  return service?.metadata.namespace === object.metadata.namespace ? service : undefined;
}

/** Its parent's list is the only place that shows a replica set. While it is being deleted, the cloud must also answer its DELETE with 404. */
async function observeInParent(
  observed: ObservedObject,
  parentId: ServiceId | undefined,
  context: View,
): Promise<ObservedResource<CloudReplicaSet>> {
  const { id, attempt } = observed.record;
  if (id === undefined || attempt) return { state: 'none' };
  const account = observed.usable;
  if (!account || parentId === undefined) return { state: 'unknown', error: undefined };
  const { clock } = context;
  const list = account.observer.replicaSets(parentId);
  // A list from before the parent was gone proves nothing.
  const notBefore = list.isPlaceDenied ? clock.now() : observed.notBefore;
  const seen = await observeById({
    list,
    id,
    absentFrom: absentFrom(observed, 'resource', id),
    notBefore,
  });
  if (seen.state === 'unknown' && seen.error?.kind === 'notFound') {
    const parent = await observeParent(account, parentId, clock.now());
    return parent.state === 'present' ? seen : parent;
  }
  const isProven = !observed.object.metadata.deletionTimestamp || list.isDenied(id);
  return seen.state === 'absent' && !isProven
    ? { state: 'missing', again: clock.now() + intervals.forCloudMs }
    : seen;
}

/** A parent was READY, so the whole cloud knows it. */
function observeParent(
  { observer }: Account,
  id: ServiceId,
  notBefore: number,
): Promise<ObservedResource<Service>> {
  return observeById({ list: observer.services, id, absentFrom: 0, notBefore });
}
