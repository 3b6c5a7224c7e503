import type { ServiceSituation } from './situation.ts';
import { serviceOf } from './state.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';

/** The id of the VPC that the service is attached to, `none`, or undefined when that cannot be told. */
export function attachmentOf(situation: ServiceSituation): string | undefined {
  const service = serviceOf(situation);
  if (!service) return undefined;
  const seen = vpcEndpointOf(service);
  switch (seen.state) {
    case 'detached':
      return 'none';
    case 'attached':
      return seen.endpoint.vpc_id;
    case 'unrecognised':
      // Attached in a shape that nobody has described: the record knows to what, if it was us.
      return situation.record.vpcAttachment;
  }
}
