import { managedServices } from '../../../resources/managed-service.ts';
import { shownSize } from '../fields.ts';
import type { KindReconciler } from '../kind.ts';
import { isAfterReady, serviceChanges, withOrigin } from './fields.ts';
import { driftFieldsOf } from '../../decide/pending-change.ts';
import { observeService, rereadService } from './observe.ts';
import { serviceSituationOf } from './situation-of.ts';
import type { ServiceFacts, ServiceSituation } from './situation.ts';
import { serviceId, type Service } from '../../../cloud/wire/service.ts';
import { policy } from '../../decide/policy.ts';
import {
  awaitReferences,
  awaitServiceEndpoint,
  createService,
  ready,
  awaitCloudWork,
  reportCloudWork,
  serving,
} from './rules/lifecycle.ts';
import { awaitVpc, forgetAttachment } from './rules/vpc.ts';

/** The whole policy of a service. Pure. */
export const decideService = policy<Service, ServiceSituation>({
  deleting: {
    states: ['DELETING'],
    deletion: ({ id }) => ({ operation: 'deleteService', args: [serviceId.parse(id)] }),
  },
  missing: {
    adopted: () => ({}),
    references: [awaitReferences],
    create: createService,
  },
  existing: {
    beforeChanges: [awaitCloudWork, forgetAttachment],
    trouble: [reportCloudWork],
    waits: [awaitVpc, awaitServiceEndpoint],
    ready,
  },
});

/** The parts of a visit that differ for a service. */
export const serviceKind: KindReconciler<ServiceSituation, ServiceFacts> = {
  type: managedServices,
  list: (lists) => lists.services,
  observe: observeService,
  reread: rereadService,
  situationOf: serviceSituationOf,
  decide: decideService,
  driftFields({ mirror, attachment }) {
    return mirror ? { ...driftFieldsOf(serviceChanges, mirror), vpc: attachment ?? 'none' } : {};
  },
  serving,
  mirror({ mirror, object, record, attachment }) {
    if (!mirror) return {};
    const service = withOrigin(mirror, record);
    return {
      state: service.status,
      ...(isAfterReady(service.status) ? { wasReady: true } : {}),
      size: object.spec.cpuMillis === 'shared' ? 'shared' : shownSize(service.resources?.[0]?.spec),
      vpcId: attachment === 'none' ? undefined : attachment,
      service,
    };
  },
};
