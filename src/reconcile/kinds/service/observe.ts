import { entryOf, passwordOf } from '../../ledger/entry.ts';
import { getService } from '../../../cloud/project-observer.ts';
import { serviceId, type Service } from '../../../cloud/wire/service.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';
import { type ResourceKey, resourceKey } from '../../../runtime/index.ts';
import type { Account } from '../../credentials/accounts.ts';
import type { LedgerEntry } from '../../../resources/ledger-entry.ts';
import { type Connection, rotationOrigin, sourceOrigin } from '../../step/connection.ts';
import { observeOwnConnection, readSecret } from '../../connection/observe-connection.ts';
import { givenValue, secretNameOf } from '../../../resources/connection-secret.ts';
import type { View } from '../../wiring/context.ts';
import { observeAttempt } from '../../observe/observe-creation.ts';
import { observePhase } from '../../observe/observe-phase.ts';
import { factsOf, observeObject, type ObservedObject } from '../../observe/observe-object.ts';
import { listFactsOf, type Observation } from '../../observe/sources.ts';
import { forkSourceIn, inState, serviceReference, vpcReference } from '../../observe/references.ts';
import {
  type CloudPlace,
  type FixedFields,
  observeAlone,
  observeResource,
} from '../../observe/observe-by-id.ts';
import { isToBeReplaced, firstSeen } from '../../situation/history.ts';
import { serviceDependents } from './dependents.ts';
import { endpointsIn } from '../mirror.ts';
import { shownService } from './situation-of.ts';
import type { Mirror, RequestedPassword, ServiceFacts } from './situation.ts';
import { connectionLabel, credentialsLabel } from '../../../resources/annotations.ts';
import { unfitFor } from '../../connection/projection.ts';

/**
 * Reads everything on which the rules decide, and changes nothing. Undefined if the object is
 * gone.
 */
export async function observeService(
  key: ResourceKey,
  context: View,
): Promise<Observation<ServiceFacts> | undefined> {
  const object = context.caches.of('ManagedService').get(key);
  if (!object) return undefined;
  const observed = await observeObject(object, 'service', context);
  const placeIn = servicePlaceOf(object);
  const attempt = await observeAttempt(observed, placeIn, context);
  const account = observed.usable;
  const cloud = await observeResource(observed, placeIn);
  const resource = cloud.state === 'present' ? cloud.resource : undefined;
  const fork = serviceReference(object, forkSourceIn(object), observed.account, context);
  const isToBeMade =
    cloud.state === 'none' || (cloud.state === 'absent' && isToBeReplaced(observed));
  const copiedIn = { states: ['READY', 'PAUSED'], namespace: object.metadata.namespace };
  const forkSource = isToBeMade ? await inState(fork, copiedIn, account, context) : fork;
  const vpc = vpcReference(object, observed.account, context);
  const entry = entryOf(object, context.caches);
  const { labels = {}, annotations = {} } = object.spec.connectionSecret ?? {};
  const wantedSecret = {
    name: secretNameOf(object),
    labels,
    annotations,
    connection: connectionOf(
      object,
      resource && shownService({ object, record: observed.record }, resource),
      context,
    ),
  };
  const { phase, interests } = await observePhase(
    observed,
    {
      cloud,
      placeIn,
      dependents: (notBefore) =>
        serviceDependents(observed, cloud.state === 'absent', context, notBefore),
    },
    context,
  );
  const read = {
    ...factsOf(observed),
    object,
    cloud,
    attempt,
    ...phase,
    vpc,
    forkSource,
    entry,
    wantedSecret,
    secret: await observeOwnConnection(
      observed,
      resource && wantedSecret,
      passwordOf(entry, observed.record.id),
      context,
    ),
    password: resource
      ? await requestedPassword(object, entry?.content?.passwordFrom, context)
      : ({ state: 'asItIs' } as const),
    passwordUnansweredAt: unansweredAt(observed, entry),
    neverSent: observed.memory.neverSent,
  };
  const { live } = observed;
  const list = live.state === 'usable' ? live.account.observer.services : undefined;
  const sources = { account: live, list, progressList: list, alsoRead: interests };
  return { facts: { ...read, ...listFactsOf(sources, observed.record.id) }, sources };
}

function servicePlaceOf({ spec }: ManagedService) {
  return ({ observer, project }: Account): CloudPlace<Service> => ({
    list: observer.services,
    get: (id) => getService(project, serviceId.parse(id), { priority: 'edit' }),
    fixed: (service) => fixedOfService(spec, service),
  });
}

/** The fixed fields that a reply shows. Pure. */
export function fixedOfService(spec: ManagedService['spec'], service: Service): FixedFields {
  return [
    ['spec.name', spec.name, service.name],
    ['spec.regionCode', spec.regionCode, service.region_code],
  ];
}

/** The same facts with the resource as the cloud shows it alone. The answer goes into the snapshot. */
export async function rereadService(facts: ServiceFacts, account: Account): Promise<ServiceFacts> {
  const place = servicePlaceOf(facts.object)(account);
  return { ...facts, cloud: await observeAlone(facts, place) };
}

function connectionOf(
  object: ManagedService,
  service: Mirror | undefined,
  { database }: View,
): Connection {
  return {
    username: object.spec.connectionSecret?.username ?? database.user,
    database: object.spec.connectionSecret?.database ?? database.name,
    ...endpointsIn(service),
  };
}

/** Policy time of the last password call without an answer. A next password that another process wrote may have been sent. */
export function unansweredAt(
  observed: Pick<ObservedObject, 'memory' | 'now' | 'learned'>,
  entry: LedgerEntry | undefined,
): number | undefined {
  const { passwordUnansweredAt: own, neverSent } = observed.memory;
  const { unansweredAt: text, next } = entry?.content ?? {};
  const version = entry?.metadata.resourceVersion;
  const noted =
    text === undefined ? undefined : firstSeen(observed, `a password unanswered at ${text}`);
  const mayBeSent =
    next && neverSent !== version
      ? firstSeen(observed, `a next password in version ${version}`)
      : undefined;
  const times = [own, noted, mayBeSent].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.max(...times);
}

/**
 * Reads the user's Secret only if something about it is new, and does not store its content.
 * @param handled the request that the present password answers
 */
async function requestedPassword(
  object: ManagedService,
  handled: string | undefined,
  context: View,
): Promise<RequestedPassword> {
  const { rotation, secretRef } = object.spec.password ?? {};
  if (rotation !== undefined) return { state: 'rotated', origin: rotationOrigin(rotation) };
  if (!secretRef) return { state: 'asItIs' };
  const { namespace } = object.metadata;
  const { name, key } = secretRef;
  const reference = `spec.password.secretRef "${name}"`;
  // Services that take their passwords from each other would cause new passwords forever.
  if (context.caches.connectionSecrets.get(resourceKey(namespace, name)))
    return {
      state: 'refused',
      message: `${reference} is a connection Secret (${connectionLabel}): name a Secret of your own`,
    };
  const watched = context.caches.credentialsSecrets.get(resourceKey(namespace, name));
  if (watched) {
    const origin = sourceOrigin(secretRef, watched.metadata);
    if (handled === origin)
      return { state: 'given', origin, source: { name, key }, isWatched: true, unfit: undefined };
  }
  const source = await readSecret(namespace, name, context);
  if (!source)
    return {
      state: 'waiting',
      message: `${reference} not found in namespace "${namespace}": create a Secret of that name with the key ${key}`,
    };
  const given = givenValue(source, key);
  if (given.state === 'absent')
    return {
      state: 'waiting',
      message: `${reference} has no key ${key}: put the password there, or name another key in secretRef.key`,
    };
  return {
    state: 'given',
    origin: sourceOrigin(secretRef, source.metadata),
    source: { name, key },
    isWatched: source.metadata.labels?.[credentialsLabel] !== undefined,
    unfit: unfitFor(given),
  };
}
