import type { Rule } from '../../../decide/rule.ts';
import { stall, wait } from '../../../step/step.ts';
import { wantedPeerings } from '../wanted-peerings.ts';
import type { VpcSituation } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

const settledStates: ReadonlySet<string> = new Set(['active']);
/** The other side is a person, who may take days: whoever has not come by then is looked for once a minute. */
const impatientMs = 600_000;
const failedStates: ReadonlySet<string> = new Set(['failed']);

/** A peering is there when its other side has accepted it; one that failed says why. */
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
