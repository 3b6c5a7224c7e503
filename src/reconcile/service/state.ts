import type { Service } from '../../cloud/wire/service.ts';
import type { ServiceSituation } from './situation.ts';

/** States in which the cloud is done with a service. */
export const atRest: ReadonlySet<string> = new Set(['READY', 'PAUSED']);

export function serviceOf({ cloud }: ServiceSituation): Service | undefined {
  return cloud.state === 'present' ? cloud.resource : undefined;
}

/** The cloud's word for it, whatever it is. */
export function stateOf(situation: ServiceSituation): string | undefined {
  return serviceOf(situation)?.status;
}

/** The environment that counts for protection: the wanted one, else the real one. */
export function environmentOf(situation: ServiceSituation): string | undefined {
  return (
    situation.object.spec.environment ??
    serviceOf(situation)?.metadata?.environment ??
    situation.object.status?.service?.metadata?.environment
  );
}
