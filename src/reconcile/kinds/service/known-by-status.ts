import { isPasswordOurs } from '../../connection/observe-secret.ts';
import type { ResourceRecord } from '../../record/record.ts';
import type { ServiceSituation } from './situation.ts';

/** The parts of a lost record that status and the connection Secret know. */
export function knownByStatus({ object, secret }: ServiceSituation): Partial<ResourceRecord> {
  const { status } = object;
  const last = status?.lastOperation;
  // An attachment that was accepted a moment ago does not show yet.
  const attached = last?.operation === 'attachServiceToVpc' ? last.wanted : status?.vpcManaged === true ? status.vpcId : undefined;
  const forkSourceId = status?.service?.forkedFrom?.serviceId;
  return {
    secretName: secret.name,
    password: status?.passwordManaged === true || isPasswordOurs(secret) ? 'managed' : 'unmanaged',
    ...(attached === undefined ? {} : { vpcAttachment: attached }),
    ...(forkSourceId === undefined ? {} : { forkSourceId }),
  };
}
