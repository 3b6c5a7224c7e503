import type { Peering } from '../../../cloud/wire/vpc.ts';

/** The identity of a peering, which has no name. */
export interface PeeringAddress {
  readonly peerAccountId: string;
  readonly peerRegionCode: string;
  readonly peerVpcId: string;
}

export function peeringKey({ peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress): string {
  return `${peerAccountId}/${peerRegionCode}/${peerVpcId}`;
}

export function keyOfPeering({ peer_account_id, peer_region_code, peer_vpc_id }: Peering): string {
  return `${peer_account_id ?? ''}/${peer_region_code ?? ''}/${peer_vpc_id ?? ''}`;
}
