import { managedServices } from '../../../resources/managed-service.ts';
import { shownSize } from '../fields.ts';
import type { KindReconciler } from '../kind.ts';
import { isAfterReady, serviceChanges, withOrigin } from './fields.ts';
import { ownStatus } from '../../situation/history.ts';
import { driftFieldsOf } from '../../decide/pending-change.ts';
import { isGovernedLeft, isOwnCreation } from '../../decide/gate.ts';
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

/** A service is new until no change that the rules could hold is left to attempt of the spec that it had when it was READY first. */
function isNew(situation: ServiceSituation): boolean {
  const { object, record, state } = situation;
  const before = ownStatus(situation);
  if (!isOwnCreation(record)) return false;
  if (before?.wasReady !== true && !isAfterReady(state)) return true;
  if (before?.newGeneration === undefined || !isGovernedLeft(situation)) return false;
  return before.wasReady !== true || before.newGeneration === object.metadata.generation;
}

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
  mirror(situation) {
    const { mirror, object, record, attachment } = situation;
    if (!mirror) return {};
    const service = withOrigin(mirror, record);
    return {
      state: service.status,
      ...(isAfterReady(service.status) ? { wasReady: true } : {}),
      newGeneration: isNew(situation) ? object.metadata.generation : undefined,
      size: object.spec.cpuMillis === 'shared' ? 'shared' : shownSize(service.resources?.[0]?.spec),
      vpcId: attachment === 'none' ? undefined : attachment,
      service,
    };
  },
};
