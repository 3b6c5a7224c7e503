import type { Rule } from '../../rule.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf, stateOf } from '../state.ts';

export const ready: Rule<ServiceSituation> = (situation) => {
  const { secret, object } = situation;
  if (stateOf(situation) === 'PAUSED') {
    const message =
      object.spec.powerState === 'Stopped'
        ? 'the service is stopped, as asked'
        : 'the service is stopped; set spec.powerState to Running to start it';
    return { type: 'done', reason: 'Stopped', message };
  }
  const endpoint = serviceOf(situation)?.endpoint;
  const where = endpoint?.host === undefined ? '' : ` at ${endpoint.host}:${endpoint.port ?? ''}`;
  return { type: 'done', reason: 'Available', message: `the service is available${where}; Secret "${secret.name}" has the connection` };
};
