import type { Rule } from '../../../decide/rule.ts';
import { describeUnexplained } from '../../../decide/describe-unexplained.ts';
import { orRetain } from '../../../decide/or-retain.ts';
import { unreadableCloud } from '../../../decide/unreadable-cloud.ts';
import type { Peering } from '../../../../cloud/wire/peering.ts';
import type { ReadPeerings, VpcSituation, ShownVpc } from '../situation.ts';
import { wait, write, call, stall, type Step } from '../../../step/step.ts';
import type { RecordedPeering } from '../../../record/record.ts';
import { withPeering } from '../../../record/record-changes.ts';
import { hasFailed, hasWholeAddress, isAccepted, mayBeAt, missingPeerings, peeringKey, wantedPeerings } from '../peerings.ts';
import { intervals } from '../../../step/intervals.ts';
import { vpcId } from '../../../../cloud/wire/vpc.ts';
import { refusedEarlier, type Change } from '../../../decide/pending-change.ts';

/** Peerings that could not be read are waited for. Changes that do not need them come before. */
export const awaitPeerings: Rule<VpcSituation> = (situation) => {
  const { peerings } = situation;
  if (peerings.state !== 'unknown') return undefined;
  const missing = peerings.missing && `the peering ${peerings.missing.join(', ')}, of which the cloud does not prove that it is gone,`;
  return unreadableCloud(situation, peerings.error, missing ?? 'the peerings of the VPC');
};

type Asked = Pick<VpcSituation, 'object' | 'peerings' | 'record'>;

/**
 * Resolves a peering whose POST got no answer. Its result is the only peering that has appeared since then with its address, if the spec names that still. One
 * that is shown without its whole address may be it. Of others nobody knows who made them, and none is claimed, nor what is left of them later. While that is
 * unknown, other changes go on.
 */
export const resolvePeerings: Rule<Asked> = (situation) => {
  const open = openIn(situation);
  if (!open) return undefined;
  const { key, request, isWanted, peerings, appeared, whole } = open;
  const become = (peering: RecordedPeering | undefined, message: string, more = {}) =>
    write({ type: 'writeRecord', record: withPeering(situation.record, key, peering) }, message, more);
  const [first, ...others] = appeared;
  if (first && others.length === 0 && isWanted && !request.isUnclaimed) {
    const { id } = first;
    return whole.length === 0 ? undefined : become({ id }, `the peering with ${key} had been created as ${id}`);
  }
  if (peerings.isConclusive) {
    const asked = `the request for the peering with ${key}`;
    if (!first) return become(undefined, `${asked} never reached the cloud`);
    const forgotten = `${asked} is forgotten: nobody knows who made ${idsOf(appeared)}; remove by hand what nobody needs`;
    return become(undefined, forgotten, { warns: 'PeeringPending' });
  }
  if (request.isUnclaimed || whole.length < (isWanted ? 2 : 1)) return undefined;
  const why = `nobody knows who made ${idsOf(whole)}`;
  return become({ ...request, isUnclaimed: true }, `nothing is taken for the result of the request for the peering with ${key}: ${why}`);
};

/** The first request without an answer, and the peerings that may have come of it. Undefined, too, if the peerings could not be read. */
function openIn({ object, peerings, record }: Asked) {
  if (peerings.state !== 'read') return undefined;
  for (const [key, request] of Object.entries(record.peerings ?? {})) {
    if (!('pendingSince' in request)) continue;
    const appeared = mayBeAt(key, peerings, request.before);
    const isWanted = (object.spec.peerings ?? []).some((each) => peeringKey(each) === key);
    return { key, request, isWanted, peerings, appeared, whole: appeared.filter(hasWholeAddress) };
  }
  return undefined;
}

/** Whether nothing is at this address. */
function isProvenAbsent(key: string, peerings: ReadPeerings): boolean {
  return peerings.isConclusive && mayBeAt(key, peerings).length === 0;
}

/** A request without an answer, of which nobody knows yet whether it reached the cloud. Nothing else is asked for until then. */
export function openRequest(situation: VpcSituation | ShownVpc): Step | undefined {
  const open = openIn(situation);
  if (!open || resolvePeerings(situation)) return undefined;
  const { key, peerings, appeared, whole } = open;
  const unclaimed =
    whole.length === 0 ? [] : [`the cloud shows ${idsOf(whole)} there, and nobody knows who made that: remove by hand what nobody needs`];
  const why = [describeGaps(peerings, appeared, situation) ?? [], unclaimed].flat().map((each) => `; ${each}`);
  return wait(
    'PeeringPending',
    `it is not known yet whether the request for the peering with ${key} reached the cloud: looking for it there${why.join('')}`,
    { afterMs: intervals.forTraceMs },
  );
}

function idsOf(peerings: readonly Peering[]): string {
  return peerings.map(({ id }) => id).join(', ');
}

/** Requests the missing peerings of the spec, one at a time. An existing peering is used as it is. A refused one does not hold up the others. */
export const createPeerings: Change<ShownVpc> = {
  pending(situation) {
    const { peerings, id, record } = situation;
    if (peerings.state !== 'read') return undefined;
    const name = 'peerings';
    const open = openRequest(situation);
    if (open) return { name, step: open, blockedForMs: intervals.forTraceMs };
    const missing = missingPeerings(situation, peerings.peerings);
    const refusalOf = (peering: (typeof missing)[number]) => refusedEarlier(situation, 'createPeering', peeringKey(peering));
    const next = missing.find((peering) => !refusalOf(peering)) ?? missing[0];
    if (!next) return undefined;
    const refused = refusalOf(next);
    if (refused) return { name, ...refused };
    const key = peeringKey(next);
    // A list that lacks known peerings may lack this one, too, and what is shown without its whole address may be it.
    if (!isProvenAbsent(key, peerings)) return { name, step: unsureOf(key, peerings, situation), blockedForMs: intervals.forCloudMs };
    const step = call(
      {
        type: 'createPeering',
        vpcId: vpcId.parse(id),
        key,
        request: { peer_account_id: next.peerAccountId, peer_region_code: next.peerRegionCode, peer_vpc_id: next.peerVpcId },
        before: [...peerings.peerings.map(({ id: existing }) => existing), ...(record.removedPeerings ?? [])],
        record,
      },
      { reason: 'PeeringPending', message: `asking for the peering with ${key}` },
    );
    return { name, step };
  },
};

function unsureOf(key: string, peerings: ReadPeerings, situation: ShownVpc): Step {
  const gaps = describeGaps(peerings, mayBeAt(key, peerings), situation) ?? "the cloud's lists do not agree yet";
  return wait('PeeringPending', `the peering with ${key} is not asked for yet, since it may be there: ${gaps}`);
}

/** Why the cloud does not prove an absence, and the next step of a person. Undefined if time alone is lacking. */
function describeGaps({ unexplained }: ReadPeerings, mayBeIt: readonly Peering[], situation: VpcSituation | ShownVpc): string | undefined {
  const inList = unexplained.length === 0 ? [] : [describeUnexplained(unexplained, "the cloud's list of the peerings")];
  const ids = idsOf(mayBeIt.filter((peering) => !hasWholeAddress(peering)));
  const inAddress = ids === '' ? [] : [`the cloud shows the peering ${ids} without its whole address, which may be it`];
  const gaps = [...inList, ...inAddress];
  if (gaps.length === 0) return undefined;
  const gone =
    unexplained.length > 0 ? '; take a peering that is gone out of spec.peerings' : '; it goes on once the cloud shows the address';
  const remedy = situation.deletion.requested ? orRetain(situation) : gone;
  return `${gaps.join('; ')}; look for it there, or ask its support${remedy}`;
}

/** A person must accept the peering, which may take days. After this time it is polled only once a minute. */
const impatientMs = 600_000;

/** Waits until the other side has accepted each peering, and reports a failed one with its reason. */
export const peeringsReady: Rule<Pick<VpcSituation, 'object' | 'peerings' | 'record' | 'now'>> = (situation) => {
  const wanted = wantedPeerings(situation);
  const failed = wanted.find(({ peering }) => peering && hasFailed(peering));
  if (failed) {
    const why = failed.peering?.error_message ?? 'the cloud gives no reason';
    return stall('PeeringFailed', `the peering with ${failed.key} failed: "${why}"; correct it in spec.peerings, or mend the other side`, {
      retryAfterMs: intervals.forPersonMs,
    });
  }
  const gone = wanted.find(({ peering }) => peering === undefined);
  if (gone)
    return stall(
      'PeeringFailed',
      `the peering with ${gone.key} is gone from the cloud and was not removed by this operator; to ask for it again, take it out of spec.peerings and put it back`,
      {
        retryAfterMs: intervals.forPersonMs,
      },
    );
  const open = wanted.filter(({ peering }) => !peering || !isAccepted(peering));
  if (open.length === 0) return undefined;
  const names = open.map(({ key, peering }) => `${key} (${peering?.status ?? 'no status'})`).join(', ');
  const { peerings, now } = situation;
  const since = peerings.state === 'read' ? peerings.since : now;
  const message = `waiting for the other side to accept the peering with ${names}`;
  return wait('PeeringPending', message, now - since < impatientMs ? { inProgressSince: since } : {});
};
