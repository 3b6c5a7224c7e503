import type { Rule } from '../../../decide/rule.ts';
import { wait, write, type Step } from '../../../step/step.ts';
import { withPeering } from '../../../record/record-changes.ts';
import { keyOfPeering } from '../peering-key.ts';
import type { VpcSituation } from '../situation.ts';
import { lookAgain } from '../../../step/intervals.ts';

/** Resolves a peering whose POST got no answer: a peering that has appeared since then with its address is the result. */
export const resolvePeerings: Rule<VpcSituation> = (situation) => {
  const { peerings, record } = situation;
  if (peerings.state !== 'read') return undefined;
  for (const [key, recorded] of Object.entries(record.peerings ?? {})) {
    if (!('pendingSince' in recorded)) continue;
    const made = peerings.peerings.find((peering) => keyOfPeering(peering) === key && !recorded.before.includes(peering.id ?? ''));
    if (made?.id !== undefined) {
      return write(
        { type: 'writeRecord', record: withPeering(record, key, { id: made.id }) },
        `the peering with ${key} had been created as ${made.id}`,
      );
    }
    return peerings.isConclusive ? forgetPending(situation, key) : stillOpen(key);
  }
  return undefined;
};

function forgetPending({ record }: VpcSituation, key: string): Step {
  return write(
    { type: 'writeRecord', record: withPeering(record, key, undefined) },
    `the request for the peering with ${key} never reached the cloud`,
  );
}

function stillOpen(key: string): Step {
  return wait(
    'PeeringPending',
    `it is not known yet whether the request for the peering with ${key} reached the cloud: looking for it there`,
    {
      afterMs: lookAgain.forTraceMs,
    },
  );
}
