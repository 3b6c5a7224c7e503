import { serviceId, vpcId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type Change } from '../../../decide/pending-change.ts';
import type { ShownService } from '../situation.ts';
import { runningOnly } from './running-only.ts';

/**
 * Detaches a service from a VPC that the spec no longer names: one that this object ever attached, or any when the spec names another. An
 * attachment to a VPC that this object never named is left. What the spec names and cannot be found changes nothing.
 */
export const detachVpc: Change<ShownService> = runningOnly({
  pending(situation) {
    const { vpc, id, record, attachment: attached } = situation;
    const wanted = vpc.state === 'found' ? vpc.id : vpc.state === 'none' ? 'none' : undefined;
    if (attached === undefined || wanted === undefined || wanted === attached) return undefined;
    if (attached === 'none' || (wanted === 'none' && record.vpcAttachment !== attached)) return undefined;
    return changeTo(situation, {
      name: `detaching from VPC ${attached}`,
      path: 'vpc',
      change: { operation: 'detachServiceFromVpc', args: [serviceId.parse(id), { vpc_id: vpcId.parse(attached) }] },
      from: attached,
      wanted,
      reason: 'DetachingVpc',
      progress: `detaching from VPC ${attached}`,
      request: `detach the service from VPC ${attached}`,
      remedy: 'change spec.vpcRef or spec.vpcId',
    });
  },
  atWork: ({ operation, wanted }) =>
    operation === 'detachServiceFromVpc' ? { reason: 'DetachingVpc', words: `detaching from its VPC, on the way to ${wanted}` } : undefined,
});
