import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Situation } from '../situation/situation.ts';
import { errorPolicy } from '../step/error-policy.ts';
import { keep, stall, wait, type Keep } from '../step/step.ts';
import { describeCloudError } from '../step/describe-cloud-error.ts';
import { intervals } from '../step/intervals.ts';

/**
 * The step when the cloud could not be read, so that nothing was learned.
 * @param what the part that could not be read, such as `the peerings of the VPC`
 * @param wayOut what a person can do beside it
 */
export function unreadableCloud({ noun }: Situation, error: CloudError | undefined, what = `the ${noun}`, wayOut = ''): Keep {
  if (!error) return keep(wait('WaitingForCloud', `${what} could not be read; tried again by itself`, { afterMs: intervals.forCloudMs }));
  const trouble = describeCloudError(error, `show ${what}`);
  const consequence = errorPolicy(error);
  return keep(
    consequence.type === 'stall'
      ? stall(consequence.reason, `${trouble}; check the rights of the API key${wayOut}`, { retryAfterMs: consequence.retryAfterMs })
      : wait(consequence.reason, `${trouble}; tried again by itself${wayOut}`, {
          afterMs: consequence.retryAfterMs ?? intervals.forCloudMs,
        }),
  );
}
