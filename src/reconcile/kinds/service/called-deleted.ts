import type { Service } from '../../../cloud/wire/service.ts';
import { effectWithinMs, isDeleteAnswered } from '../../situation/last-operation.ts';
import type { ObservedResource } from '../../situation/observed-resource.ts';
import type { Situation } from '../../situation/situation.ts';
import { intervals } from '../../step/intervals.ts';

/** Whether the cloud shows a service that it calls deleted. */
export function isCalledDeleted(seen: ObservedResource<Service>): boolean {
  return seen.state === 'present' && seen.resource.status === 'DELETED';
}

/**
 * A service in state DELETED counts as gone once the cloud has answered the operator's own DELETE, or once looks half a minute apart agree. A single look may
 * be wrong, and the service still be there.
 * @param since policy time since when this process has seen the state
 */
export function unlessDeleted(
  seen: ObservedResource<Service>,
  since: number,
  { identity, lastOperation: last, now }: Pick<Situation, 'identity' | 'lastOperation' | 'now'>,
): ObservedResource<Service> {
  const word = seen.state === 'present' ? seen.resource.status : undefined;
  if (seen.state !== 'present' || word !== 'DELETED') return seen;
  const isAskedFor = identity.state === 'known' && isDeleteAnswered(last, identity.id);
  if (isAskedFor || seen.asOf - since >= effectWithinMs) return { state: 'absent', word };
  return { state: 'missing', word, again: Math.max(since + effectWithinMs, now + intervals.forCloudMs) };
}
