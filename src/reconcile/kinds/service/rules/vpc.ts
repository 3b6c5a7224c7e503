import { serviceId, vpcId } from '../../../../cloud/wire/ids.ts';
import { requestOnce, type Change } from '../../../decide/pending-change.ts';
import type { ShownService, ExistingService } from '../situation.ts';
import { write, stall, wait } from '../../../step/step.ts';
import type { Rule } from '../../../decide/rule.ts';
import { intervals } from '../../../step/intervals.ts';

/**
 * Detaches a service from a VPC that the spec no longer names: one that this object attached, or any if the spec names another. Otherwise a foreign
 * attachment is left. A VPC in the spec that cannot be found changes nothing.
 */
export const detachVpc: Change<ShownService> = {
  pending(situation) {
    const { vpc, id, record, attachment: attached } = situation;
    const wanted = vpc.state === 'found' ? vpc.id : vpc.state === 'none' ? 'none' : undefined;
    if (attached === undefined || wanted === undefined || wanted === attached) return undefined;
    if (attached === 'none' || (wanted === 'none' && record.vpcAttachment !== attached)) return undefined;
    return requestOnce(situation, {
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
  progressAfter: ({ operation, wanted }) =>
    operation === 'detachServiceFromVpc'
      ? { reason: 'DetachingVpc', message: `detaching from its VPC, on the way to ${wanted}` }
      : undefined,
};

/** Attaches a service to the VPC in the spec. The record is written first, since only an attachment of this object may be detached later. */
export const attachVpc: Change<ShownService> = {
  pending(situation) {
    const { vpc, id, record, attachment } = situation;
    if (vpc.state !== 'found' || attachment !== 'none') return undefined;
    const name = `attaching to VPC ${vpc.id}`;
    if (record.vpcAttachment !== vpc.id) {
      return {
        name,
        path: 'vpc',
        step: write({ type: 'writeRecord', record: { ...record, vpcAttachment: vpc.id } }, `VPC ${vpc.id} is about to be attached`),
      };
    }
    return requestOnce(situation, {
      name,
      path: 'vpc',
      change: { operation: 'attachServiceToVpc', args: [serviceId.parse(id), { vpc_id: vpc.id }] },
      from: 'none',
      wanted: vpc.id,
      reason: 'AttachingVpc',
      progress: name,
      request: `attach the service to VPC ${vpc.id}`,
      remedy: 'change spec.vpcRef or spec.vpcId',
    });
  },
  progressAfter: ({ operation, wanted }) =>
    operation === 'attachServiceToVpc' ? { reason: 'AttachingVpc', message: `attaching to VPC ${wanted}` } : undefined,
};

/** The VPC in the spec cannot be found. The service is not detached for that, and all other changes come before. */
export const awaitVpc: Rule<ExistingService> = ({ vpc }) => {
  if (vpc.state === 'refused') return stall('NotAllowed', vpc.message);
  return vpc.state === 'waiting' ? wait('WaitingForReference', vpc.message, { afterMs: intervals.forReferenceMs }) : undefined;
};
