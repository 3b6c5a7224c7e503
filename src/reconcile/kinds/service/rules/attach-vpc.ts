import { serviceId } from '../../../../cloud/wire/ids.ts';
import { write } from '../../../step/step.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import { attachmentOf } from '../attachment.ts';
import type { ServiceSituation } from '../situation.ts';
import { runningOnly } from './running-only.ts';

/** Attaches a service to the VPC in the spec. The record says so first: what this object attached, it may detach one day. */
export const attachVpc: ChangeRule<ServiceSituation> = runningOnly((situation) => {
  const { vpc, identity, record } = situation;
  if (identity.state !== 'known' || vpc.state !== 'found' || attachmentOf(situation) !== 'none') return undefined;
  const name = `attaching to VPC ${vpc.id}`;
  if (record.vpcAttachment !== vpc.id) {
    return {
      name,
      field: 'vpc',
      step: write({ type: 'writeRecord', record: { ...record, vpcAttachment: vpc.id } }, `VPC ${vpc.id} is about to be attached`),
    };
  }
  return changeTo(situation, {
    name,
    field: 'vpc',
    change: { operation: 'attachServiceToVpc', id: serviceId.parse(identity.id), vpcId: vpc.id },
    from: 'none',
    wanted: vpc.id,
    reason: 'AttachingVpc',
    words: name,
  });
});
