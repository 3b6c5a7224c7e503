import type { Peering } from '../../../cloud/wire/peering.ts';
import type { RecordedPeering, ResourceRecord } from '../../../resources/ledger-entry.ts';
import { peeringKey, type PeeringAddress } from '../../ledger/record.ts';
import type { VpcSituation } from './situation.ts';

/** The difference between the wanted peering and the present peering at an address, as the next thing to do. */
export type PeeringTask =
  /** The spec wants a peering that neither the record nor the cloud has. */
  | { readonly do: 'request'; readonly key: string; readonly address: PeeringAddress }
  /** The same, but an earlier request without an answer may still show its result. */
  | { readonly do: 'awaitAnswer'; readonly key: string; readonly address: PeeringAddress }
  /** This object made the peering, and the spec does not want it. */
  | { readonly do: 'remove'; readonly key: string; readonly id: string }
  /** The record has a peering that is gone from the cloud. */
  | { readonly do: 'forgetPeering'; readonly key: string }
  /** The record has a request that is over, and that the spec does not want. */
  | { readonly do: 'forgetRequest'; readonly key: string };

/** The peerings of a VPC in the spec, in the ledger and in the cloud. */
export interface KnownPeerings {
  /** Empty while the VPC is deleted. */
  readonly wanted: readonly PeeringAddress[];
  readonly record: Pick<ResourceRecord, 'peerings'>;
  /** All peerings that the cloud shows: a recorded peering that is not among them is gone. */
  readonly shown: readonly Peering[];
  /** The keys of the requests without an answer whose result the cloud may still show. */
  readonly open: readonly string[];
}

/**
 * What is left to do about each peering: first for the recorded peerings, then for the peerings of the spec.
 * An existing peering is used as it is, also of another creator. Pure.
 */
export function peeringPlan(known: KnownPeerings): readonly PeeringTask[] {
  const { wanted, record } = known;
  const recorded = Object.entries(record.peerings ?? {});
  return [
    ...recorded.flatMap(([key, peering]) => taskOfRecorded(key, peering, known) ?? []),
    ...wanted.flatMap((address) => taskOfWanted(address, known) ?? []),
  ];
}

function taskOfRecorded(
  key: string,
  recorded: RecordedPeering,
  { wanted, shown, open }: KnownPeerings,
): PeeringTask | undefined {
  const isWanted = wanted.some((address) => peeringKey(address) === key);
  if (!('id' in recorded))
    return isWanted || open.includes(key) ? undefined : { do: 'forgetRequest', key };
  if (!shown.some(({ id }) => id === recorded.id)) return { do: 'forgetPeering', key };
  return isWanted ? undefined : { do: 'remove', key, id: recorded.id };
}

/** The peering that the record has is requested again only after the record has forgotten it. */
function taskOfWanted(
  address: PeeringAddress,
  { record, shown, open }: KnownPeerings,
): PeeringTask | undefined {
  const key = peeringKey(address);
  if (madeAt(address, record) !== undefined || peeringAt(address, shown, record)) return undefined;
  return { do: open.includes(key) ? 'awaitAnswer' : 'request', key, address };
}

/** A peering of the spec, with the peering in the cloud. */
interface WantedPeering {
  readonly key: string;
  readonly peering: Peering | undefined;
}

/** The peerings of the spec, each with the peering in the cloud. Empty while the peerings are not read. */
export function wantedPeerings({
  object,
  peerings,
  record,
}: Pick<VpcSituation, 'object' | 'peerings' | 'record'>): readonly WantedPeering[] {
  if (peerings.state !== 'read') return [];
  return (object.spec.peerings ?? []).map((address) => ({
    key: peeringKey(address),
    peering: peeringAt(address, peerings.peerings, record),
  }));
}

/**
 * The peering at an address: the peering that this object made there, else any peering with that address. Of
 * several peerings the best, independent of their order in the cloud's list.
 */
function peeringAt(
  address: PeeringAddress,
  shown: readonly Peering[],
  record: KnownPeerings['record'],
): Peering | undefined {
  const made = madeAt(address, record);
  const found = shown.filter((peering) =>
    made === undefined ? isAt(peering, address) : peering.id === made,
  );
  return found.find(isAccepted) ?? found.find((peering) => !hasPeeringFailed(peering)) ?? found[0];
}

/** The id of the peering that this object made at an address. */
function madeAt(address: PeeringAddress, record: KnownPeerings['record']): string | undefined {
  const recorded = record.peerings?.[peeringKey(address)];
  return recorded && 'id' in recorded ? recorded.id : undefined;
}

function isAt(
  peering: Peering,
  { peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress,
): boolean {
  const { peer_account_id: account, peer_region_code: region, peer_vpc_id: vpc } = peering;
  return account === peerAccountId && region === peerRegionCode && vpc === peerVpcId;
}

/** Whether the other side has accepted the peering. */
export function isAccepted({ status }: Peering): boolean {
  return status === 'active';
}

/** Whether the cloud says that the peering failed. */
export function hasPeeringFailed({ status }: Peering): boolean {
  return status === 'failed';
}
