import { serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** Starts a stopped service that the spec wants to run. Nothing else can be changed before. */
export const start: ChangeRule<ServiceSituation> = (situation) => {
  const { object, identity } = situation;
  if (object.spec.powerState !== 'Running' || stateOf(situation) !== 'PAUSED' || identity.state !== 'known') return undefined;
  return changeTo(situation, {
    name: 'power state',
    field: 'powerState',
    change: { operation: 'startService', id: serviceId.parse(identity.id) },
    from: 'Stopped',
    wanted: 'Running',
    reason: 'Starting',
    words: 'starting the service',
  });
};
