import { serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf } from '../state.ts';
import { runningOnly } from './running-only.ts';

/** Sets the environment tag to that of the spec. */
export const environment: ChangeRule<ServiceSituation> = runningOnly((situation) => {
  const { object, identity } = situation;
  const service = serviceOf(situation);
  const wanted = object.spec.environment;
  const from = service?.metadata?.environment ?? 'none';
  if (!service || wanted === undefined || wanted === from || identity.state !== 'known') return undefined;
  return changeTo(situation, {
    name: 'environment',
    field: 'environment',
    change: { operation: 'setServiceEnvironment', id: serviceId.parse(identity.id), environment: wanted },
    from,
    wanted,
    reason: 'SettingEnvironment',
    words: `setting the environment from ${from} to ${wanted}`,
  });
});
