import type { CallObservation } from '../cloud/cloud-client.ts';
import { wordsOf } from '../cloud/transport-failure.ts';
import { outage, type Log, type Outage } from '../runtime/index.ts';

/** A server that ends its connections is back at once as a rule. */
const patienceMs = 2_000;

/** One line when the API server is away, and one when it is back. */
export function apiServerOutage(log: Log, now?: () => number): Outage {
  return told('the API server', 'what is there goes on, and nothing changes meanwhile', log, now);
}

/** The same of the cloud. @param cloudUrl where it should be */
export function cloudOutage(log: Log, cloudUrl: URL, now?: () => number): Outage {
  return told(`the cloud at ${cloudUrl.origin}`, 'databases go on, and nothing changes meanwhile', log, now);
}

/** What a call says of the cloud as a whole: an answer is one, whatever it says, and what was not sent says nothing. */
export function heard(cloud: Outage, { outcome, error }: Pick<CallObservation, 'outcome' | 'error'>): void {
  if (outcome === 'aborted') return;
  if (outcome === 'network' || outcome === 'timeout' || outcome === 'server') cloud.failed(error);
  else cloud.answered();
}

function told(who: string, meanwhile: string, log: Log, now: (() => number) | undefined): Outage {
  return outage({
    patienceMs,
    ...(now ? { now } : {}),
    onBegin: (error) =>
      log.warn({ error: error instanceof Error ? wordsOf(error) : String(error) }, `${who} does not answer: ${meanwhile}`),
    onEnd: (lastedMs) => log.info({}, `${who} answers again, after ${Math.round(lastedMs / 1_000)} s`),
  });
}
