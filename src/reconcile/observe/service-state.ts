import type { ServiceId } from '../../cloud/wire/ids.ts';
import type { Account } from '../account.ts';
import type { Context } from '../context.ts';
import type { Reference } from '../reference.ts';
import { sightById } from './sight-by-id.ts';

/** The cloud's word for the state of a service that something is to be made from; undefined while it is not seen. */
export async function serviceState(account: Account, id: ServiceId, context: Context): Promise<string | undefined> {
  const service = await sightById({
    account,
    list: account.observer.services,
    id,
    get: () => account.api.getService(account.projectId, id),
    seenBefore: false,
    notBefore: 0,
    now: () => context.clock.now(),
    isComplete: () => Promise.resolve(false), // its absence is of no interest here
  });
  return service.state === 'present' ? service.resource.status : undefined;
}

/** A reference that is good only while the service is in one of these states. */
export async function inState(
  reference: Reference<ServiceId>,
  states: readonly string[],
  account: Account | undefined,
  context: Context,
): Promise<Reference<ServiceId>> {
  if (reference.state !== 'found' || !account) return reference;
  const state = await serviceState(account, reference.id, context);
  if (state !== undefined && states.includes(state)) return reference;
  return { state: 'waiting', message: `service ${reference.id} is ${state ?? 'not seen yet'}: waiting until it is ${states.join(' or ')}` };
}
