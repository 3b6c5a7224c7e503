import { pendingChanges } from '../../decide/pending-change.ts';
import { ownStatus } from '../../situation/history.ts';
import { lasting } from '../mirror.ts';
import { nextPowerChange } from '../../../resources/running-hours.ts';
import type { Service } from '../../../cloud/wire/service.ts';
import { attachedTo, mirrorOf, serviceChanges } from './fields.ts';
import type { Mirror, ServiceFacts, ServiceSituation } from './situation.ts';

/** The service as status shows it: a part that the reply lacks is as in the last status of this service. Pure. */
export function shownService(
  of: Pick<ServiceFacts, 'object' | 'record'>,
  service: Service,
): Mirror {
  return mirrorOf(service, lasting(ownStatus(of)?.service, of.object.spec));
}

/** The situation with the parts that follow from other parts. Pure. */
export function serviceSituationOf(facts: ServiceFacts): ServiceSituation {
  const { cloud, object, record } = facts;
  const service = cloud.state === 'present' ? cloud.resource : undefined;
  const edge = nextPowerChange(object, facts.wallTime);
  const whole = {
    ...facts,
    mirror: service && shownService(facts, service),
    state: service?.status,
    isAtRest: service?.status === 'READY' || service?.status === 'PAUSED',
    environment:
      object.spec.environment ??
      service?.metadata?.environment ??
      object.status?.service?.metadata?.environment,
    attachment: service && attachedTo(service, record),
    changesInMs: edge && edge - facts.wallTime,
  };
  return { ...whole, pendingChanges: pendingChanges(serviceChanges, whole) };
}
