import type { ResourceRecord } from '../../record/record.ts';
import type { ManagedService } from '../../../resources/managed-service.ts';

/** The parts of a lost record that status knows. */
export function knownByStatus({ status }: ManagedService): Partial<ResourceRecord> {
  const last = status?.lastOperation;
  // An attachment that was accepted a moment ago does not show yet.
  const attached = last?.operation === 'attachServiceToVpc' ? last.wanted : status?.vpcManaged === true ? status.vpcId : undefined;
  const forkSourceId = status?.service?.forkedFrom?.serviceId;
  return {
    ...(status?.binding === undefined ? {} : { secretName: status.binding.name }),
    ...(status?.passwordManaged === true ? { password: 'managed' } : {}),
    ...(attached === undefined ? {} : { vpcAttachment: attached }),
    ...(forkSourceId === undefined ? {} : { forkSourceId }),
  };
}
