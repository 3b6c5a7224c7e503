import { managedServices, managedServiceStatus } from '../../../resources/managed-service.ts';
import type { KindReconciler } from '../kind.ts';
import { mirrorOf, sizeOf } from './mirror.ts';
import { readFields } from '../../../resources/read-fields.ts';
import { driftFieldsOf } from '../../decide/field.ts';
import { observeService } from './observe.ts';
import { decideService } from './policy.ts';
import { serviceChanges } from './fields.ts';
import { pendingChanges } from '../../decide/pending-change.ts';
import type { ServiceSituation } from './situation.ts';
import { atRest, environmentOf, isAfterReady, serviceOf, stateOf } from './state.ts';
import { vpcEndpointOf } from './vpc-endpoint.ts';

export const serviceKind: KindReconciler<ServiceSituation> = {
  type: managedServices,
  observe: observeService,
  decide: decideService,
  driftFields(_situation, status) {
    const { service, vpcId } = readFields(managedServiceStatus, status).fields;
    return service ? { ...driftFieldsOf(serviceChanges, service), vpc: vpcId ?? 'none' } : {};
  },
  pendingChanges: (situation) => pendingChanges(serviceChanges, situation),
  environmentOf,
  isAtRest: (situation) => atRest.has(stateOf(situation) ?? ''),
  mirror(situation) {
    const service = serviceOf(situation);
    if (!service) return {};
    const attached = vpcEndpointOf(service);
    return {
      state: service.status,
      ...(isAfterReady(service.status) ? { wasReady: true } : {}),
      size: situation.object.spec.cpuMillis === 'shared' ? 'shared' : sizeOf(service),
      vpcId: attached.state === 'attached' ? attached.endpoint.vpc_id : undefined,
      vpcManaged: attached.state === 'attached' ? attached.endpoint.vpc_id === situation.record.vpcAttachment : undefined,
      ...(situation.record.password === 'managed' ? { passwordManaged: true } : {}),
      service: mirrorOf(service),
    };
  },
  listOf: ({ account }) => (account.state === 'usable' ? account.account.observer.services : undefined),
  secretOf: ({ secret }) => secret,
};
