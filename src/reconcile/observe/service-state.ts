import type { ServiceId, Service } from '../../cloud/wire/service.ts';
import type { Account } from '../credentials/accounts.ts';
import type { ObservedResource, Reference } from '../situation/observed-resource.ts';
import type { View } from '../process/context.ts';
import { describeCloudError } from '../step/describe-cloud-error.ts';
import { observeById } from './observe-by-id.ts';
import { syncedOf } from '../../resources/condition.ts';

/** Undefined while the service is not seen. */
export async function serviceState(account: Account, id: ServiceId): Promise<string | undefined> {
  const service = await lookAt(account, id);
  return service.state === 'present' ? service.resource.status : undefined;
}

/** Does not try to prove an absence. */
function lookAt({ observer }: Account, id: ServiceId): Promise<ObservedResource<Service>> {
  return observeById({ list: observer.services, id, notBefore: 0 });
}

/** A reference that counts only while the service is in any of these states. */
export async function inState(
  reference: Reference<ServiceId>,
  states: readonly string[],
  account: Account | undefined,
  context: View,
): Promise<Reference<ServiceId>> {
  if (reference.state !== 'found' || !account) return reference;
  const service = await lookAt(account, reference.id);
  const state = service.state === 'present' ? service.resource.status : undefined;
  if (state === 'READY' && isAboutToAttach(reference.id, account, context)) {
    return { state: 'waiting', message: `service ${reference.id} is about to be attached to its VPC: waiting until that is done` };
  }
  if (state !== undefined && states.includes(state)) return reference;
  const next = `: waiting until it is ${states.join(' or ')}`;
  const problem = `service ${reference.id} is ${state ?? 'not seen yet'}`;
  const isUnread = service.state === 'unknown' && service.error !== undefined;
  return {
    state: 'waiting',
    message: isUnread ? `${problem}, since ${describeCloudError(service.error, 'show it', next)}` : problem + next,
  };
}

/** The longest wait for an object whose visits fail: its status then says nothing new. */
const attachPatienceMs = 120_000;

/**
 * Whether the service's object has yet to attach it to a VPC, or has just begun: the cloud would then refuse a
 * request for its child. An object that cannot attach it has another reason, and is not waited for.
 */
function isAboutToAttach(id: ServiceId, { projectId }: Account, { claims, caches, clock }: View): boolean {
  const owner = claims.ownerOf('ManagedService', projectId, id);
  const service = owner && caches.of('ManagedService').get(owner.key);
  if (!service || (service.spec.vpcRef ?? service.spec.vpcId) === undefined) return false;
  const { state, stateSince = '' } = service.status ?? {};
  if (state === 'READY' && clock.now() - Date.parse(stateSince) > attachPatienceMs) return false;
  const reason = syncedOf(service)?.reason;
  return reason === 'Creating' || reason === 'AttachingVpc';
}
