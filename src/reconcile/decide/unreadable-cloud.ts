import type { CloudError } from '../../cloud/cloud-error.ts';
import type { StalledReason } from '../../resources/condition.ts';
import type { Situation } from '../situation/situation.ts';
import { errorPolicy, describeCloudError } from '../step/errors.ts';
import { keep, stall, wait, type Keep } from '../step/step.ts';
import { intervals } from '../step/intervals.ts';

/**
 * @param what the unread part, such as `the peerings of the VPC`
 * @param wayOut another action that helps
 */
export function unreadableCloud(
  { noun }: Situation,
  error: CloudError | undefined,
  what = `the ${noun}`,
  wayOut = '',
): Keep {
  if (!error)
    return keep(
      wait('WaitingForCloud', `${what} could not be read; the operator retries`, {
        afterMs: intervals.forCloudMs,
      }),
    );
  const consequence = errorPolicy(error);
  const advice = consequence.type === 'stall' ? advices[consequence.reason] : undefined;
  const message = describeCloudError(
    error,
    `show ${what}`,
    `; ${advice ?? 'the operator retries'}${wayOut}`,
  );
  if (consequence.type === 'stall')
    return keep(stall(consequence.reason, message, consequence.retryAfterMs));
  return keep(
    wait(consequence.reason, message, {
      afterMs: consequence.retryAfterMs ?? intervals.forCloudMs,
    }),
  );
}

const advices: Readonly<Partial<Record<StalledReason, string>>> = {
  Unauthorized: 'check the rights of the API key',
  Rejected: "ask the cloud's support",
};
