import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Situation } from '../situation/situation.ts';
import { errorPolicy, describeCloudError } from '../step/describe-cloud-error.ts';
import { keep, stall, wait, type Keep, type Step } from '../step/step.ts';
import { intervals } from '../step/intervals.ts';
import { listed } from '../step/short-message.ts';
import type { Reference } from '../situation/observed-resource.ts';

/**
 * The step when the cloud could not be read, so that nothing was learned.
 * @param what the unread part, such as `the peerings of the VPC`
 * @param wayOut another action that helps
 */
export function unreadableCloud({ noun }: Situation, error: CloudError | undefined, what = `the ${noun}`, wayOut = ''): Keep {
  if (!error) return keep(wait('WaitingForCloud', `${what} could not be read; the operator retries`, { afterMs: intervals.forCloudMs }));
  const consequence = errorPolicy(error);
  const advice = consequence.type === 'stall' ? 'check the rights of the API key' : 'the operator retries';
  const message = describeCloudError(error, `show ${what}`, `; ${advice}${wayOut}`);
  return keep(
    consequence.type === 'stall'
      ? stall(consequence.reason, message, { retryAfterMs: consequence.retryAfterMs })
      : wait(consequence.reason, message, {
          afterMs: consequence.retryAfterMs ?? intervals.forCloudMs,
        }),
  );
}

/** Why a list without these known ids does not prove an absence. */
export function describeUnexplained(missing: readonly string[], list = "the cloud's list"): string {
  return `${list} lacks ${listed(missing)}`;
}

/** Undefined if there is no reference, or it is found. */
export function awaitReference(reference: Reference<string>): Step | undefined {
  if (reference.state === 'refused') return stall('NotAllowed', reference.message);
  if (reference.state !== 'waiting') return undefined;
  return wait('WaitingForReference', reference.message, { afterMs: intervals.forReferenceMs });
}
