import type { CloudError } from '../../cloud/cloud-error.ts';
import type { Situation } from '../situation/situation.ts';
import { errorPolicy, describeCloudError } from '../step/error-policy.ts';
import { keep, stall, wait, type Keep, type Step } from '../step/step.ts';
import { intervals } from '../step/intervals.ts';
import type { Unexplained } from '../../cloud/list-poller.ts';
import type { Reference } from '../situation/observed-resource.ts';

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

/** Why a list does not say that something does not exist. */
export function describeUnexplained({ missing, unidentified }: Unexplained, list = "the cloud's list"): string {
  const lacks = `lacks ${missing.join(', ')}, and the cloud does not say that it is gone`;
  const shows = `shows ${withoutId(unidentified)}, which may be it`;
  return `${list} ${[...(missing.length > 0 ? [lacks] : []), ...(unidentified > 0 ? [shows] : [])].join('; it ')}`;
}

/** Resources that the cloud shows without an id, so that nothing can be said of one of them. */
export function withoutId(count: number): string {
  return count === 1 ? 'an item without an id' : `${count} items without an id`;
}

/** The end of a sentence about a resource that is missing, and that an item without an id may be. */
export const orUnidentified =
  ": the cloud's list shows an item without an id, which may be it; ten minutes of such lists count as its absence";

/**
 * The advice to keep the resource of an object that is being deleted, to be put behind other advice; or why that does nothing any more, or nothing yet. Every
 * message has it from here, so that none advises what has no effect. (`releaseRetained`)
 */
export function orRetain({ deletion, attempt, noun }: Pick<Situation, 'deletion' | 'attempt' | 'noun'>): string {
  if (!deletion.requested) return '';
  if (deletion.started) return `; the deletion of the ${noun} had begun before, so spec.deletionPolicy no longer keeps it`;
  if (attempt) return `; spec.deletionPolicy does not let this object go before it is known what came of its create`;
  return `, or set spec.deletionPolicy to Retain to keep the ${noun} and drop only this object`;
}

/** The advice where the cloud refuses the DELETE that makes sure of an absence. It helps also after the deletion has begun. (`removeUnshown`) */
export const orLeave = ', or set spec.deletionPolicy to Retain to let this object go without that; its connection Secret stays then';

/** The step while a reference in the spec cannot be used; undefined if there is none, or it is found. */
export function awaitReference(reference: Reference<string>): Step | undefined {
  if (reference.state === 'refused') return stall('NotAllowed', reference.message);
  if (reference.state !== 'waiting') return undefined;
  return wait('WaitingForReference', reference.message, { afterMs: intervals.forReferenceMs });
}
