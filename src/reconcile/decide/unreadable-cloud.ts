import type { CloudError } from '../../cloud/cloud-error.ts';
import type { StalledReason } from '../../resources/condition.ts';
import type { Situation, Reference } from '../situation/situation.ts';
import { errorPolicy, describeCloudError } from '../step/errors.ts';
import { keep, stall, wait, type Keep, type Step, intervals } from '../step/step.ts';

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

export function awaitReference(reference: Reference<string>): Step | undefined {
  if (reference.state === 'refused') return stall('NotAllowed', reference.message);
  if (reference.state !== 'waiting') return undefined;
  return wait('WaitingForReference', reference.message, { afterMs: intervals.forReferenceMs });
}

/** The advice to retain the resource, behind other advice. All messages take it from here, so that none advises an action without effect. */
export function orRetain({
  deletion,
  attempt,
  noun,
}: Pick<Situation, 'deletion' | 'attempt' | 'noun'>): string {
  if (!deletion.requested) return '';
  if (deletion.started)
    return `; spec.deletionPolicy no longer keeps the ${noun}, whose deletion has begun`;
  if (attempt)
    return '; spec.deletionPolicy has no effect before the answer to the create is known';
  return `, or set spec.deletionPolicy to Retain to keep the ${noun}`;
}

/** The advice where the cloud refuses the DELETE that confirms an absence. (`removeUnshown`) */
export const orLeave = ', or set spec.deletionPolicy to Retain to release this object';
