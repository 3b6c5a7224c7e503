import { managedServices, managedServiceStatus } from '../../../resources/managed-service.ts';
import type { KindReconciler } from '../kind.ts';
import { isAfterReady, mirrorOf, sizeOf } from './mirror.ts';
import { readFields } from '../../../resources/read-fields.ts';
import { driftFieldsOf } from '../../decide/field.ts';
import { observeService } from './observe.ts';
import { decideService } from './policy.ts';
import { serviceChanges } from './fields.ts';
import type { ServiceSituation } from './situation.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';

export const serviceKind: KindReconciler<ServiceSituation> = {
  type: managedServices,
  observe: observeService,
  decide: decideService,
  driftFields(status) {
    const { service, vpcId } = readFields(managedServiceStatus, status).fields;
    return service ? { ...driftFieldsOf(serviceChanges, service), vpc: vpcId ?? 'none' } : {};
  },
  mirror({ cloud, object, record }) {
    if (cloud.state !== 'present') return {};
    const { resource: service } = cloud;
    const attached = vpcEndpointOf(service);
    return {
      state: service.status,
      ...(isAfterReady(service.status) ? { wasReady: true } : {}),
      size: object.spec.cpuMillis === 'shared' ? 'shared' : sizeOf(service),
      vpcId: attached.state === 'attached' ? attached.endpoint.vpc_id : undefined,
      vpcManaged: attached.state === 'attached' ? attached.endpoint.vpc_id === record.vpcAttachment : undefined,
      ...(record.password === 'managed' ? { passwordManaged: true } : {}),
      service: mirrorOf(service),
    };
  },
};
