import { serviceId } from '../../../cloud/wire/ids.ts';
import type { Rule } from '../../rule.ts';
import { call, write } from '../../step.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf } from '../state.ts';
import { vpcEndpointOf } from '../vpc-endpoint.ts';

/** Attaches a running service to the VPC in the spec. The record says so first: what this object attached, it may detach one day. */
export const attachVpc: Rule<ServiceSituation> = (situation) => {
  const { vpc, identity, record } = situation;
  const service = serviceOf(situation);
  if (!service || identity.state !== 'known' || vpc.state !== 'found' || service.status !== 'READY') return undefined;
  if (vpcEndpointOf(service).state !== 'detached') return undefined;
  if (record.vpcAttachment !== vpc.id) {
    return write({ type: 'writeRecord', record: { ...record, vpcAttachment: vpc.id } }, `VPC ${vpc.id} is about to be attached`);
  }
  return call(
    { type: 'attachVpc', id: serviceId.parse(identity.id), vpcId: vpc.id },
    { reason: 'AttachingVpc', message: `attaching to VPC ${vpc.id}` },
  );
};
