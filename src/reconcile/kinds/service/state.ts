import type { Service } from '../../../cloud/wire/service.ts';
import type { ServiceSituation } from './situation.ts';

/** States in which the cloud is done with a service. */
export const atRest: ReadonlySet<string> = new Set(['READY', 'PAUSED']);

/** States that a service has only after it was READY. */
const afterReady: ReadonlySet<string> = new Set([
  'READY',
  'PAUSING',
  'PAUSED',
  'RESUMING',
  'UPGRADING',
  'OPTIMIZING',
  'UNSTABLE',
  'DELETING',
  'DELETED',
]);

/** Whether the state alone says that the service was READY once. One that is CONFIGURING may be on its way there. */
export function isAfterReady(state: string | undefined): boolean {
  return afterReady.has(state ?? '');
}

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
