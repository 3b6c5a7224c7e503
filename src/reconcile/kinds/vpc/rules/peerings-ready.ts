import type { Rule } from '../../../decide/rule.ts';
import { stall, wait } from '../../../step/step.ts';
import { wantedPeerings } from '../wanted-peerings.ts';
import type { VpcSituation } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

const settledStates: ReadonlySet<string> = new Set(['active']);
/** A person must accept the peering, which may take days. After this time it is polled only once a minute. */
const impatientMs = 600_000;
const failedStates: ReadonlySet<string> = new Set(['failed']);

/** Waits until the other side has accepted each peering, and reports a failed one with its reason. */
export const peeringsReady: Rule<Pick<VpcSituation, 'object' | 'peerings' | 'record' | 'now'>> = (situation) => {
  const wanted = wantedPeerings(situation);
  const failed = wanted.find(({ peering }) => failedStates.has(peering?.status ?? ''));
  if (failed) {
    const why = failed.peering?.error_message ?? 'the cloud gives no reason';
    return stall('PeeringFailed', `the peering with ${failed.key} failed: "${why}"; correct it in spec.peerings, or mend the other side`, {
      retryAfterMs: lookAgain.forPersonMs,
    });
  }
  const gone = wanted.find(({ peering }) => peering === undefined);
  if (gone)
    return stall(
      'PeeringFailed',
      `the peering with ${gone.key} is gone from the cloud and was not removed by this operator; to ask for it again, take it out of spec.peerings and put it back`,
      {
        retryAfterMs: lookAgain.forPersonMs,
      },
    );
  const open = wanted.filter(({ peering }) => !settledStates.has(peering?.status ?? ''));
  if (open.length === 0) return undefined;
  const names = open.map(({ key, peering }) => `${key} (${peering?.status ?? 'no status'})`).join(', ');
  const { peerings, now } = situation;
  const since = peerings.state === 'read' ? peerings.since : now;
  const words = `waiting for the other side to accept the peering with ${names}`;
  return wait('PeeringPending', words, now - since < impatientMs ? { inProgressSince: since } : {});
};
