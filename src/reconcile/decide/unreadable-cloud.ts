import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Situation } from '../situation/situation.ts';
import { errorPolicy } from '../step/error-policy.ts';
import { keep, stall, type Step, wait } from '../step/step.ts';
import { describeCloudError } from '../step/describe-cloud-error.ts';
import { intervals } from '../step/intervals.ts';

/**
 * The step when the cloud could not be read, so that nothing was learned.
 * @param what the failed read, such as `show the service`
 */
export function unreadableCloud(
  { noun }: Situation,
  error: CloudError | undefined,
  what = `show the ${noun}`,
): Extract<Step, { type: 'keep' }> {
  if (!error)
    return keep(wait('WaitingForCloud', `the ${noun} could not be read; tried again by itself`, { afterMs: intervals.forCloudMs }));
  const trouble = describeCloudError(error, what);
  const consequence = errorPolicy(error);
  return keep(
    consequence.type === 'stall'
      ? stall(consequence.reason, `${trouble}; check the rights of the API key`, { retryAfterMs: consequence.retryAfterMs })
      : wait(consequence.reason, `${trouble}; tried again by itself`, { afterMs: consequence.retryAfterMs ?? intervals.forCloudMs }),
  );
}
