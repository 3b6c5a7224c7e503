import type { CallObservation } from '../cloud/cloud-client.ts';
import { loggedOutage, type Log, type Outage } from '../runtime/index.ts';

/** @param cloudUrl for the message */
export function cloudOutage(log: Log, cloudUrl: URL): Outage {
  return loggedOutage(`the cloud at ${cloudUrl.origin}`, 'databases go on, and nothing changes meanwhile', log);
}

/** Every answer shows that the cloud is there. An aborted call shows nothing. */
export function reportCall(cloud: Outage, { outcome, error }: Pick<CallObservation, 'outcome' | 'error'>): void {
  if (outcome === 'aborted') return;
  if (outcome === 'network' || outcome === 'timeout' || outcome === 'server') cloud.failed(error);
  else cloud.answered();
}
