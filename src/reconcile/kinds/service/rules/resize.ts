import { serviceId } from '../../../../cloud/wire/ids.ts';
import { changeTo, type ChangeRule } from '../../../decide/pending-change.ts';
import type { ServiceSituation } from '../situation.ts';
import { serviceOf } from '../state.ts';
import { runningOnly } from './running-only.ts';

/** Moves a service to the size in the spec. The cloud wants both numbers: one that the spec leaves out stays as it is. `shared` is any size. */
export const resize: ChangeRule<ServiceSituation> = runningOnly((situation) => {
  const { object, identity } = situation;
  const size = serviceOf(situation)?.resources?.[0]?.spec;
  const cpuMillis = object.spec.cpuMillis ?? size?.cpu_millis;
  const memoryGbs = object.spec.memoryGbs ?? size?.memory_gbs;
  if (identity.state !== 'known' || size?.cpu_millis === undefined || size.memory_gbs === undefined) return undefined;
  if (cpuMillis === undefined || memoryGbs === undefined || cpuMillis === 'shared' || memoryGbs === 'shared') return undefined;
  if (cpuMillis === size.cpu_millis && memoryGbs === size.memory_gbs) return undefined;
  const from = `${size.cpu_millis}m/${size.memory_gbs}GB`;
  const wanted = `${cpuMillis}m/${memoryGbs}GB`;
  return changeTo(situation, {
    name: 'size',
    field: 'cpuMillis/memoryGbs',
    change: {
      operation: 'resizeService',
      id: serviceId.parse(identity.id),
      size: { cpu_millis: String(cpuMillis), memory_gbs: String(memoryGbs) },
    },
    from,
    wanted,
    reason: 'Resizing',
    words: `resizing from ${from} to ${wanted}`,
  });
});
