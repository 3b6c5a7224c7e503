import { recordOf } from '../ledger/entry.ts';
import { serviceId, type ServiceId } from '../../cloud/wire/service.ts';
import { vpcId, type VpcId } from '../../cloud/wire/vpc.ts';
import { keyOf, resourceKey } from '../../runtime/index.ts';
import type { Account } from '../credentials/accounts.ts';
import type { KeyState } from '../credentials/key-state.ts';
import type { View } from '../wiring/context.ts';
import type { Reference, RuleOptions } from '../situation/situation.ts';
import { isObserved } from '../situation/options.ts';
import type { ManagedObject } from '../../resources/managed-object.ts';
import type { ManagedService } from '../../resources/managed-service.ts';
import type { ReplicaSet } from '../../resources/replica-set.ts';
import { nextStart, wakeCommand, wantedPower } from '../../resources/running-hours.ts';
import { mayAdopt, nameFor } from '../situation/neighbours.ts';
import { claimOf } from './claim.ts';
import { describeCloudError } from '../step/errors.ts';
import { observeById } from './observe-by-id.ts';
import {
  asksPerson,
  hasReason,
  readyOf,
  stalledReasonOf,
  syncedOf,
} from '../../resources/condition.ts';
import { listed } from '../step/short-message.ts';

/** A reference as a spec has it: an object by its name, or a resource by its id. */
export interface Named {
  /** The fields of the reference and of the id, below the spec. */
  readonly refField: 'vpcRef' | 'serviceRef' | 'fork.serviceRef';
  readonly idField: 'vpcId' | 'serviceId' | 'fork.serviceId';
  readonly ref: { readonly name: string } | undefined;
  readonly id: string | undefined;
  readonly kind: 'ManagedVpc' | 'ManagedService';
  /** The id of the object's present resource. It holds the deletion of that resource up. */
  readonly has?: string | undefined;
}

type Objects = Pick<View, 'caches' | 'claims' | 'clusterUid' | 'evidence' | 'options'>;
type Known = Pick<View, 'caches' | 'claims' | 'clock' | 'options'>;

/** Resolves `vpcRef` or `vpcId`. A VPC exists as soon as its object has its id, and owns it. */
export function vpcReference(
  object: ManagedService,
  account: KeyState,
  context: Objects,
): Reference<VpcId> {
  const { spec, status } = object;
  const named: Named = {
    refField: 'vpcRef',
    idField: 'vpcId',
    ref: spec.vpcRef,
    id: spec.vpcId,
    kind: 'ManagedVpc',
    has: status?.vpcId,
  };
  return branded(resolve(object, named, account, context), vpcId);
}

/** The source of a fork, as the spec of the service names it. */
export function forkSourceIn({ spec: { fork } }: ManagedService): Named {
  return {
    refField: 'fork.serviceRef',
    idField: 'fork.serviceId',
    ref: fork?.serviceRef,
    id: fork?.serviceId,
    kind: 'ManagedService',
  };
}

/** The service of a replica set, as its spec names it. */
export function serviceOf({ spec }: ReplicaSet): Named {
  return {
    refField: 'serviceRef',
    idField: 'serviceId',
    ref: spec.serviceRef,
    id: spec.serviceId,
    kind: 'ManagedService',
  };
}

/** Resolves the source of a fork, or the service of a replica set, as for a VPC. */
export function serviceReference(
  object: ManagedObject,
  named: Named,
  account: KeyState,
  context: Objects,
): Reference<ServiceId> {
  return branded(resolve(object, named, account, context), serviceId);
}

function branded<Id extends string>(
  reference: Reference<string>,
  brand: { parse(id: string): Id },
): Reference<Id> {
  return reference.state === 'found' ? { ...reference, id: brand.parse(reference.id) } : reference;
}

function resolve(
  { metadata: { namespace, name }, spec: { credentialsRef } }: ManagedObject,
  { refField, idField, ref, id, kind, has }: Named,
  account: KeyState,
  context: Objects,
): Reference<string> {
  const isIdAllowed = mayAdopt({ account, options: context.options });
  if (id !== undefined && isIdAllowed) return { state: 'found', id };
  if (id !== undefined) {
    const problem = `spec.${idField} "${id}" may be anything in the operator's project`;
    return {
      state: 'refused',
      message: `${problem}: use ${refField}, or set spec.credentialsRef to a key of your own`,
    };
  }
  if (ref === undefined) return { state: 'none' };
  const held = (state: 'waiting' | 'blocked', problem: string): Reference<string> => ({
    state,
    message: `spec.${refField} "${ref.name}" ${problem}`,
  });
  const waiting = (problem: string) => held('waiting', problem);
  const referent = context.caches.of(kind).get(resourceKey(namespace, ref.name));
  if (!referent)
    return waiting(
      `not found in namespace "${namespace}": create the ${kind}${isIdAllowed ? `, or use ${idField}` : ''}`,
    );
  const record = recordOf(referent, context.caches);
  // An object that is yet to become a fork holds the deletion of its source.
  const holdsIt =
    record.id !== undefined &&
    (record.id === has ||
      (refField === 'fork.serviceRef' && record.deletionStarted?.id !== record.id));
  if (referent.metadata.deletionTimestamp && !holdsIt)
    return waiting(`is being deleted: name another ${kind}, or create it again once it is gone`);
  if (!record.id && refField === 'fork.serviceRef') {
    const circle = circleOfForks(namespace, [name, ref.name], context);
    const remedy = 'delete one of them, and apply it without spec.fork';
    if (circle)
      return held('blocked', `is in turn a fork of this service (${listed(circle)}): ${remedy}`);
  }
  if (!record.id) return waiting('is not created in the cloud yet: its status says why');
  // An object that was restored into another cluster names a resource of another owner.
  if (claimOf(referent, context).state !== 'ours')
    return waiting('is not bound to its resource: its status names the next action');
  if (account.state === 'usable' && record.projectId !== account.projectId) {
    const projects = `is in project ${record.projectId}, this object in ${account.projectId}`;
    const secret = credentialsRef?.name;
    const isSame = referent.spec.credentialsRef?.name === secret;
    const where = secret === undefined ? 'the operator' : `Secret "${secret}"`;
    const remedy = isSame
      ? `${where} needs a key of ${record.projectId}`
      : 'give both the same credentials';
    return held('blocked', `${projects}: ${remedy}`);
  }
  return { state: 'found', id: record.id };
}

/**
 * The names of services of which each is a fork of the next, and the last of the first, while none of them exists
 * in the cloud: none can be created. Undefined if the path leads to another end.
 * @param path a service, and the source of its fork
 */
function circleOfForks(
  namespace: string,
  path: readonly [string, ...string[]],
  { caches }: Pick<Objects, 'caches'>,
): readonly string[] | undefined {
  const service = caches.of('ManagedService').get(resourceKey(namespace, path.at(-1) ?? ''));
  if (!service || recordOf(service, caches).id !== undefined) return undefined;
  const next = service.spec.fork?.serviceRef?.name;
  if (next === path[0]) return path;
  return next === undefined || path.includes(next)
    ? undefined
    : circleOfForks(namespace, [...path, next], { caches });
}

/**
 * A found reference, once the service is in a state that allows the request; otherwise `waiting`, or `blocked`
 * if the service stays stopped, or if it is not seen until a person acts.
 * @param states the states that allow the request
 * @param namespace that of the object with the reference
 * @param account undefined: the state cannot be read, and the reference stays as it is
 */
export async function inState(
  reference: Reference<ServiceId>,
  { states, namespace }: { readonly states: readonly string[]; readonly namespace: string },
  account: Account | undefined,
  context: Known,
): Promise<Reference<ServiceId>> {
  if (reference.state !== 'found' || !account) return reference;
  const service = await observeById({
    list: account.observer.services,
    id: reference.id,
    notBefore: 0,
  });
  const state = service.state === 'present' ? service.resource.status : undefined;
  if (state === 'READY' && isAboutToAttach(reference.id, account, context)) {
    return {
      state: 'waiting',
      message: `service ${reference.id} is about to be attached to its VPC: waiting until that is done`,
    };
  }
  if (state !== undefined && states.includes(state)) return reference;
  const object = objectOf(reference.id, account, context);
  const isUnseen = service.state === 'missing' || service.state === 'absent';
  // A change of an object in another namespace wakes no object here.
  if (isUnseen && object?.metadata.namespace === namespace && asksPerson(object)) {
    const status = `the status of ManagedService ${object.metadata.name} (${syncedOf(object)?.reason})`;
    return {
      state: 'blocked',
      message: `service ${reference.id} is not seen: ${status} names the next action`,
    };
  }
  if (state === 'PAUSED') {
    const stopped = staysStopped({ id: reference.id, namespace }, object, context);
    if (stopped)
      return {
        state: stopped.isBlocked ? 'blocked' : 'waiting',
        message: stopped.message,
        isStopped: true,
      };
  }
  const next = `: waiting until it is ${states.join(' or ')}`;
  const problem = `service ${reference.id} is ${state ?? 'not seen yet'}`;
  const isUnread = service.state === 'unknown' && service.error !== undefined;
  return {
    state: 'waiting',
    message: isUnread
      ? `${problem}, since ${describeCloudError(service.error, 'show it', next)}`
      : problem + next,
  };
}

/** A stopped service that the operator does not start now. */
interface Stopped {
  /** Only a person can end the stop. */
  readonly isBlocked: boolean;
  readonly message: string;
}

/**
 * The message about a stopped service. Undefined if the operator is about to start the service.
 * @param namespace that of the reader, who learns no name in another namespace
 */
function staysStopped(
  { id, namespace }: { readonly id: ServiceId; readonly namespace: string },
  service: ManagedService | undefined,
  { clock, options }: Pick<Known, 'clock' | 'options'>,
): Stopped | undefined {
  const at = clock.wallTime();
  const paused = `service ${id} is PAUSED`;
  const isAsked = service !== undefined && wantedPower(service, at) === 'Running';
  const hindrance = service && hindranceOf(service, namespace, isAsked, options);
  if (hindrance !== undefined) return { isBlocked: true, message: `${paused}, and ${hindrance}` };
  if (isAsked) return undefined;
  const start = service && nextStart(service, at);
  if (service && start !== undefined) {
    const isHere = service.metadata.namespace === namespace;
    const command = isHere ? `; to start it: ${wakeCommand(service)}` : '';
    return {
      isBlocked: false,
      message: `${paused} until ${start} (its spec.runningHours)${command}`,
    };
  }
  const inSpec = service && 'set spec.powerState of its ManagedService to Running, or ';
  const remedy = `${inSpec ?? ''}start it in the cloud`;
  return { isBlocked: true, message: `${paused}: ${remedy}` };
}

/** The setting, or the trouble, for which the operator does not start a service, with the next action. */
function hindranceOf(
  service: ManagedService,
  namespace: string,
  isStartAsked: boolean,
  options: RuleOptions,
): string | undefined {
  const object = nameFor(
    { metadata: { namespace } },
    { kind: 'ManagedService', key: keyOf(service) },
  );
  if (service.metadata.deletionTimestamp !== undefined)
    return `${object} is being deleted: delete this object, too, or start the service in the cloud`;
  if (service.spec.suspend === true)
    return `spec.suspend of ${object} is true: set it to false, or start the service in the cloud`;
  if (isObserved(service, options))
    return `the operator only observes ${object}: start the service in the cloud`;
  // Such as a refused start. If the spec asks for no start, the trouble is not the cause of the stop.
  const reason = stalledReasonOf(service);
  return isStartAsked && reason !== undefined
    ? `${object} is Stalled (${reason}): its status names the next action`
    : undefined;
}

/**
 * The stop of this service by the status of its object, for a reader in its namespace that needs no request. Undefined for
 * a service that is not stopped, or about to be started.
 */
export function stoppedServiceOf(
  id: ServiceId,
  service: ManagedService,
  context: Pick<Known, 'clock' | 'options'>,
): { readonly message: string; readonly isReady: boolean } | undefined {
  if (service.status?.id !== id || service.status.state !== 'PAUSED') return undefined;
  const { namespace } = service.metadata;
  const stopped = staysStopped({ id, namespace }, service, context);
  return stopped && { message: stopped.message, isReady: readyOf(service)?.status === 'True' };
}

function objectOf(
  id: ServiceId,
  { projectId }: Account,
  { claims, caches }: Known,
): ManagedService | undefined {
  const owner = claims.ownerOf('ManagedService', projectId, id);
  return owner && caches.of('ManagedService').get(owner.key);
}

/** The longest wait for an object whose visits fail: its status then says nothing new. */
const awaitAttachForMs = 120_000;

/**
 * Whether the service's object has yet to attach it to a VPC, or has just begun: the cloud would then refuse a
 * request for its child. An object that cannot attach it has another reason, and is not waited for.
 */
function isAboutToAttach(id: ServiceId, account: Account, view: Known): boolean {
  const { clock } = view;
  const service = objectOf(id, account, view);
  if (!service || (service.spec.vpcRef ?? service.spec.vpcId) === undefined) return false;
  const { state, stateSince = '' } = service.status ?? {};
  if (state === 'READY' && clock.now() - Date.parse(stateSince) > awaitAttachForMs) return false;
  return hasReason(service, 'Creating', 'AttachingVpc');
}
