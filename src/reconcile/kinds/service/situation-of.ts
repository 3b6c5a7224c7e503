import { pendingChanges } from '../../decide/pending-change.ts';
import { ownStatus } from '../../situation/history.ts';
import { attachedTo, mirrorOf, serviceChanges } from './fields.ts';
import type { ServiceFacts, ServiceSituation } from './situation.ts';

/** The situation with the parts that follow from other parts. Pure. */
export function serviceSituationOf(facts: ServiceFacts): ServiceSituation {
  const { cloud, object, record } = facts;
  const service = cloud.state === 'present' ? cloud.resource : undefined;
  const whole = {
    ...facts,
    mirror: service && mirrorOf(service, ownStatus(facts)?.service),
    state: service?.status,
    isAtRest: service?.status === 'READY' || service?.status === 'PAUSED',
    environment:
      object.spec.environment ??
      service?.metadata?.environment ??
      object.status?.service?.metadata?.environment,
    attachment: service && attachedTo(service, record),
  };
  return { ...whole, pendingChanges: pendingChanges(serviceChanges, whole) };
}
