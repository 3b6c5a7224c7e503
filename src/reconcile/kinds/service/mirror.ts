import * as z from 'zod';
import { service as wireService, type Service } from '../../../cloud/wire/service.ts';
import { managedServiceStatus, type ManagedServiceStatus } from '../../../resources/managed-service.ts';
import type { ResourceRecord } from '../../record/record.ts';
import { readFields } from '../../../resources/read-fields.ts';
import { withMissingFrom, camelCased, onceEach, snakeCased } from '../mirror.ts';

export type Mirror = NonNullable<ManagedServiceStatus['service']>;
const mirror = managedServiceStatus.shape.service.unwrap();

/** The service in status: every field that the schema of status has. It has no password, no replica sets, and no usage figures. */
export const mirrorOf = onceEach((service: Service): Mirror => {
  return { ...readFields(mirror, camelCased(service)).fields, vpcEndpoint: vpcEndpointMirror(service) };
});

/** The service in status with the origin of a fork, which a cloud may never show. */
export function withOrigin(shown: Mirror, { forkSourceId: serviceId }: ResourceRecord): Mirror {
  return serviceId === undefined ? shown : { ...shown, forkedFrom: { serviceId, ...shown.forkedFrom } };
}

/** A reply with its missing fields taken from the last status. Addresses, pooler and state are always taken from the reply. */
export function completeService(seen: Service, shown: Mirror | undefined): Service {
  if (!shown) return seen;
  const { endpoint: _endpoint, connectionPooler: _pooler, vpcEndpoint: _vpcEndpoint, status: _status, ...lasting } = shown;
  return wireService.parse(withMissingFrom(seen, snakeCased(lasting)));
}

function vpcEndpointMirror(service: Service): unknown {
  const seen = vpcEndpointOf(service);
  if (seen.state === 'detached') return undefined;
  if (seen.state === 'unrecognised') return service.vpcEndpoint;
  return { host: seen.endpoint.host, port: seen.endpoint.port, vpcId: seen.endpoint.vpc_id };
}

/** Such as `2 (1 synchronous)`. */
export function replicasText(replicas: number, synchronous: number): string {
  return `${replicas} (${synchronous} synchronous)`;
}

/** States that a service has only after it was READY. */
const afterReady: ReadonlySet<string> = new Set([
  'READY',
  'PAUSING',
  'PAUSED',
  'RESUMING',
  'UPGRADING',
  'OPTIMIZING',
  'UNSTABLE',
  'DELETING',
  'DELETED',
]);

/** Whether the state alone proves that the service was READY once. A CONFIGURING service may not have been. */
export function isAfterReady(state: string | undefined): boolean {
  return afterReady.has(state ?? '');
}

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
