import type { ResourceRecord } from '../../record/record.ts';
import * as z from 'zod';
import type { Service } from '../../../cloud/wire/service.ts';

const attached = z.object({ host: z.string().optional(), port: z.number().optional(), vpc_id: z.string() });
export type VpcEndpoint = z.infer<typeof attached>;

/**
 * The VPC that a service is attached to. The API's document gives no shape. Absent and null mean detached, `{host, port, vpc_id}` is understood, and any
 * other shape is an attachment to an unknown VPC.
 */
export function vpcEndpointOf(
  service: Service,
): { state: 'detached' } | { state: 'attached'; endpoint: VpcEndpoint } | { state: 'unrecognised' } {
  if (service.vpcEndpoint === undefined || service.vpcEndpoint === null) return { state: 'detached' };
  const parsed = attached.safeParse(service.vpcEndpoint);
  return parsed.success ? { state: 'attached', endpoint: parsed.data } : { state: 'unrecognised' };
}

/**
 * The id of the VPC that a service is attached to, `none`, or undefined if unknown. For an attachment in an unknown shape only the record can tell, if this
 * object made it.
 */
export function attachedTo(service: Service, { vpcAttachment }: ResourceRecord): string | undefined {
  const seen = vpcEndpointOf(service);
  if (seen.state === 'attached') return seen.endpoint.vpc_id;
  return seen.state === 'detached' ? 'none' : vpcAttachment;
}
