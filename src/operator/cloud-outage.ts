import type { CallObservation } from '../cloud/cloud-client.ts';
import { toldOutage, type Log, type Outage } from '../runtime/index.ts';

/** One line when the cloud is away, and one when it is back. @param cloudUrl where it should be */
export function cloudOutage(log: Log, cloudUrl: URL): Outage {
  return toldOutage(`the cloud at ${cloudUrl.origin}`, 'databases go on, and nothing changes meanwhile', log);
}

/** What a call says of the cloud as a whole: an answer is one, whatever it says, and what was not sent says nothing. */
export function heard(cloud: Outage, { outcome, error }: Pick<CallObservation, 'outcome' | 'error'>): void {
  if (outcome === 'aborted') return;
  if (outcome === 'network' || outcome === 'timeout' || outcome === 'server') cloud.failed(error);
  else cloud.answered();
}
