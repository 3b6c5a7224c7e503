import { serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { stateOf } from '../state.ts';

/** Stops a running service that the spec wants stopped; the last of all changes, since a stopped service takes none. */
export const stop: ChangeRule<ServiceSituation> = (situation) => {
  const { object, identity } = situation;
  if (object.spec.powerState !== 'Stopped' || stateOf(situation) === 'PAUSED' || identity.state !== 'known') return undefined;
  return changeTo(situation, {
    name: 'stopping',
    field: 'powerState',
    change: { operation: 'stopService', id: serviceId.parse(identity.id) },
    from: 'Running',
    wanted: 'Stopped',
    reason: 'Stopping',
    words: 'stopping the service',
  });
};
