import { peering as wirePeering, type Peering } from '../../../cloud/wire/peering.ts';
import { peeringKey, type PeeringAddress, peeringIds } from '../../record/record.ts';
import { snakeCased, withMissingFrom } from '../fields.ts';
import type { VpcSituation } from './situation.ts';

export { peeringKey, type PeeringAddress };

export function hasWholeAddress({ peer_account_id, peer_region_code, peer_vpc_id }: Peering): boolean {
  return ![peer_account_id, peer_region_code, peer_vpc_id].includes(undefined);
}

/** Whether a peering has this address as far as the cloud shows it. A part that the cloud leaves out excludes nothing. */
export function mayHaveAddress(
  { peer_account_id: account, peer_region_code: region, peer_vpc_id: vpc }: Peering,
  { peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress,
): boolean {
  return (account ?? peerAccountId) === peerAccountId && (region ?? peerRegionCode) === peerRegionCode && (vpc ?? peerVpcId) === peerVpcId;
}

/** A peering with the missing parts of its address from the last status. An address never changes. */
export function completePeering(seen: Peering, { status }: VpcSituation['object']): Peering {
  const { peerAccountId, peerRegionCode, peerVpcId } = status?.peerings?.find(({ id }) => id === seen.id) ?? {};
  return hasWholeAddress(seen) ? seen : wirePeering.parse(withMissingFrom(seen, snakeCased({ peerAccountId, peerRegionCode, peerVpcId })));
}

type Recorded = Pick<VpcSituation, 'record'>;

/** The id of the peering that this object made at this address. */
export function madeAt(address: PeeringAddress, { record }: Recorded): string | undefined {
  const recorded = record.peerings?.[peeringKey(address)];
  return recorded && 'id' in recorded ? recorded.id : undefined;
}

/**
 * The peerings that may be at an address: the peering that this object made there, else each peering that the
 * cloud shows with that address, or without a part of it. A peering that this object made for another address
 * is excluded.
 */
export function mayBeAt(address: PeeringAddress, shown: readonly Peering[], recorded: Recorded): readonly Peering[] {
  const made = madeAt(address, recorded);
  if (made !== undefined) return shown.filter(({ id }) => id === made);
  const elsewhere: readonly (string | undefined)[] = peeringIds(recorded.record);
  return shown.filter((peering) => !elsewhere.includes(peering.id) && mayHaveAddress(peering, address));
}

/** The peering at an address, also of another creator. Of several peerings the best, independent of their order in the cloud's list. */
function peeringAt(address: PeeringAddress, shown: readonly Peering[], recorded: Recorded): Peering | undefined {
  const made = madeAt(address, recorded);
  const found = mayBeAt(address, shown, recorded).filter((peering) => made !== undefined || hasWholeAddress(peering));
  return found.find(isAccepted) ?? found.find((peering) => !hasFailed(peering)) ?? found[0];
}

/** The peerings of the spec that are neither recorded nor shown by the cloud. */
export function missingPeerings(
  { object, record }: Pick<VpcSituation, 'object' | 'record'>,
  shown: readonly Peering[],
): readonly PeeringAddress[] {
  return (object.spec.peerings ?? []).filter(
    (address) => madeAt(address, { record }) === undefined && !peeringAt(address, shown, { record }),
  );
}

export interface WantedPeering {
  readonly key: string;
  /** Undefined while the cloud does not show the peering. */
  readonly peering: Peering | undefined;
}

export function wantedPeerings({
  object,
  peerings,
  record,
}: Pick<VpcSituation, 'object' | 'peerings' | 'record'>): readonly WantedPeering[] {
  if (peerings.state !== 'read') return [];
  return (object.spec.peerings ?? []).map((address) => ({
    key: peeringKey(address),
    peering: peeringAt(address, peerings.peerings, { record }),
  }));
}

const acceptedStates: ReadonlySet<string> = new Set(['active']);
const failedStates: ReadonlySet<string> = new Set(['failed']);

export function isAccepted({ status = '' }: Peering): boolean {
  return acceptedStates.has(status);
}

export function hasFailed({ status = '' }: Peering): boolean {
  return failedStates.has(status);
}
