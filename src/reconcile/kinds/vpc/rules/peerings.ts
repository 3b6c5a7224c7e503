import type { Rule } from '../../../decide/rule.ts';
import { describeUnexplained, unreadableCloud } from '../../../decide/unreadable-cloud.ts';
import type { ReadPeerings, VpcSituation, ShownVpc } from '../situation.ts';
import { wait, call, stall } from '../../../step/step.ts';
import { hasFailed, isAccepted, mayBeAt, missingPeerings, peeringKey, wantedPeerings, type PeeringAddress } from '../peerings.ts';
import { cutToFit, listed } from '../../../step/short-message.ts';
import { intervals } from '../../../step/intervals.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import { refusedEarlier, type Change } from '../../../decide/pending-change.ts';
import type { PendingChange } from '../../../situation/situation.ts';

/** Unreadable peerings are waited for. Changes that do not need them come before. */
export const awaitPeerings: Rule<VpcSituation> = (situation) => {
  const { peerings } = situation;
  if (peerings.state !== 'unknown') return undefined;
  const missing = peerings.missing && `the peering ${peerings.missing.join(', ')}, of which the cloud does not prove that it is gone,`;
  return unreadableCloud(situation, peerings.error, missing ?? 'the peerings of the VPC');
};

/**
 * Requests the missing peerings of the spec. The address identifies a peering: an existing peering is used as
 * it is, also of another creator. A request that is refused, or that waits, does not hold up the rest.
 */
export const createPeerings: Change<ShownVpc> = {
  pending(situation) {
    const { peerings } = situation;
    if (peerings.state !== 'read') return undefined;
    const requests = missingPeerings(situation, peerings.peerings).map((address) => requestFor(address, peerings, situation));
    return requests.find(({ blockedForMs }) => blockedForMs === undefined) ?? requests[0];
  },
};

function requestFor(address: PeeringAddress, peerings: ReadPeerings, situation: ShownVpc): PendingChange {
  const key = peeringKey(address);
  const name = 'peerings';
  const refused = refusedEarlier(situation, 'createPeering', key);
  if (refused) return { name, ...refused };
  const { peerAccountId: peer_account_id, peerRegionCode: peer_region_code, peerVpcId: peer_vpc_id } = address;
  const unsure = whyUnsure(address, peerings, situation);
  if (unsure !== undefined) return { name, step: wait('PeeringPending', unsure), blockedForMs: intervals.forTraceMs };
  const request = { peer_account_id, peer_region_code, peer_vpc_id };
  const { id, record } = situation;
  return {
    name,
    step: call(
      { type: 'createPeering', vpcId: vpcId.parse(id), key, request, record },
      { reason: 'PeeringPending', message: `asking for the peering with ${key}` },
    ),
  };
}

/** Why the peering may exist already though the cloud does not show it: a repeated request makes a second peering. */
function whyUnsure(address: PeeringAddress, { open, unexplained, peerings }: ReadPeerings, situation: ShownVpc): string | undefined {
  const key = peeringKey(address);
  if (open.includes(key)) return `the request for the peering with ${key} had no answer: the operator looks for it for two minutes`;
  const ids = mayBeAt(address, peerings, situation).map(({ id }) => id);
  const gap =
    unexplained.length > 0
      ? describeUnexplained(unexplained, "the cloud's list of peerings")
      : ids.length > 0
        ? `the cloud shows peering ${listed(ids)} without its whole address`
        : undefined;
  return gap && `the peering with ${key} may exist, since ${gap}: look for it there, or ask the cloud's support`;
}

/** A person must accept the peering, which may take days. After this time it is polled only once a minute. */
const impatientMs = 600_000;

/** Waits until the other side has accepted each peering, and reports a failed peering with its reason. */
export const peeringsReady: Rule<Pick<VpcSituation, 'object' | 'peerings' | 'record' | 'now'>> = (situation) => {
  const wanted = wantedPeerings(situation);
  const failed = wanted.find(({ peering }) => peering && hasFailed(peering));
  if (failed) {
    const problem = `the peering with ${failed.key} failed: `;
    const advice = '; correct it in spec.peerings, or correct the other side';
    const why = cutToFit(failed.peering?.error_message ?? 'the cloud gives no reason', `${problem}""${advice}`);
    return stall('PeeringFailed', `${problem}"${why}"${advice}`, { retryAfterMs: intervals.forPersonMs });
  }
  const waiting = wanted.filter(({ peering }) => !peering || !isAccepted(peering));
  if (waiting.length === 0) return undefined;
  const names = listed(waiting.map(({ key, peering }) => `${key} (${peering?.status ?? 'no status'})`));
  const { peerings, now } = situation;
  const since = peerings.state === 'read' ? peerings.since : now;
  const message = `waiting for the other side to accept the peering with ${names}`;
  return wait('PeeringPending', message, now - since < impatientMs ? { inProgressSince: since } : {});
};
