import { serviceId } from '../../../../cloud/wire/ids.ts';
import { write } from '../../../step/step.ts';
import { changeTo, type Change } from '../../../decide/pending-change.ts';
import type { ShownService } from '../situation.ts';
import { runningOnly } from './running-only.ts';

/** Attaches a service to the VPC in the spec. The record says so first: what this object attached, it may detach one day. */
export const attachVpc: Change<ShownService> = runningOnly({
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
    return changeTo(situation, {
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
  atWork: ({ operation, wanted }) =>
    operation === 'attachServiceToVpc' ? { reason: 'AttachingVpc', words: `attaching to VPC ${wanted}` } : undefined,
});
