/** The identity of a peering, which has no name. */
export interface PeeringAddress {
  readonly peerAccountId: string;
  readonly peerRegionCode: string;
  readonly peerVpcId: string;
}

/** The key of a peering in the record of its VPC. */
export function peeringKey({ peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress): string {
  return `${peerAccountId}/${peerRegionCode}/${peerVpcId}`;
}
