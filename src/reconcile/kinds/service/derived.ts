import { attachedTo } from './vpc-endpoint.ts';
import { serviceChanges } from './fields.ts';
import { pendingChanges } from '../../decide/pending-change.ts';
import type { ServiceSituation } from './situation.ts';
import type { Derived } from '../../observe/observe-object.ts';

/** Completes the observation of a service with the values that rules derive from it. Pure. */
export function serviceSituationOf(seen: Omit<ServiceSituation, Derived | 'attachment'>): ServiceSituation {
  const { cloud, object, account, record } = seen;
  const service = cloud.state === 'present' ? cloud.resource : undefined;
  const list = account.state === 'usable' ? account.account.observer.services : undefined;
  const whole = {
    ...seen,
    state: service?.status,
    isAtRest: service?.status === 'READY' || service?.status === 'PAUSED',
    environment: object.spec.environment ?? service?.metadata?.environment ?? object.status?.service?.metadata?.environment,
    list,
    progressList: list,
    attachment: service && attachedTo(service, record),
  };
  return { ...whole, pendingChanges: pendingChanges(serviceChanges, whole) };
}
