import { serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf } from '../state.ts';
import { runningOnly } from './running-only.ts';

/** Switches the connection pooler on or off, as the spec says. */
export const connectionPooler: ChangeRule<ServiceSituation> = runningOnly((situation) => {
  const { object, identity } = situation;
  const service = serviceOf(situation);
  const enabled = object.spec.connectionPooler?.enabled;
  const isEnabled = service?.connection_pooler?.endpoint !== undefined;
  if (!service || enabled === undefined || enabled === isEnabled || identity.state !== 'known') return undefined;
  return changeTo(situation, {
    name: 'connection pooler',
    field: 'connectionPooler.enabled',
    change: { operation: enabled ? 'enableServicePooler' : 'disableServicePooler', id: serviceId.parse(identity.id) },
    from: isEnabled ? 'enabled' : 'disabled',
    wanted: enabled ? 'enabled' : 'disabled',
    reason: 'ConfiguringPooler',
    words: enabled ? 'enabling the connection pooler' : 'disabling the connection pooler',
  });
});
