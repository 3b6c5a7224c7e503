import type { Shown } from '../../decide/pending-change.ts';
import type { Deleting, Existing, Missing } from '../../decide/rule.ts';
import type { CloudError } from '../../../cloud/cloud-error.ts';
import type { Peering } from '../../../cloud/wire/peering.ts';
import type { Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc, ManagedVpcStatus } from '../../../resources/managed-vpc.ts';
import { peeringKey, type PeeringAddress } from '../../ledger/record.ts';
import type { Facts, Situation } from '../../situation/situation.ts';

/** The peerings of the VPC; `unneeded` if neither spec nor record names a peering. */
export type ObservedPeerings =
  | { readonly state: 'unneeded' }
  /** `missing`: known peerings that the list lacks, without a proof that they are gone. */
  | {
      readonly state: 'unknown';
      readonly error: CloudError | undefined;
      readonly missing?: readonly string[];
      readonly shown?: ShownPeerings;
    }
  | ReadPeerings;

/**
 * The peerings of a VPC that a list, a GET or an answer has shown. `asOf` is the policy time of
 * the list.
 */
export interface ShownPeerings {
  readonly peerings: readonly Peering[];
  /** The ids that the list shows. Peerings that only a GET or an answer has shown are missing from it. */
  readonly listed: ReadonlySet<string>;
  /** Policy time at which the cloud accepted the DELETE of a peering in the last minute, by its id. */
  readonly acceptedAt: ReadonlyMap<string, number | undefined>;
  readonly asOf: number;
}

/** All peerings of a VPC: no known peering is missing. */
export interface ReadPeerings extends ShownPeerings {
  readonly state: 'read';
  /** The keys of the requests without an answer whose result may be missing from this list. */
  readonly open: readonly string[];
  /** Policy time at which this process first saw the peerings in exactly these states. */
  readonly since: number;
}

/** The VPC as status shows it: the last reply of the cloud, with the names of status. */
export type Mirror = NonNullable<ManagedVpcStatus['vpc']>;

/** The facts about a VPC. */
export interface VpcFacts extends Facts<Vpc> {
  readonly object: ManagedVpc;
  readonly peerings: ObservedPeerings;
}

/** The situation of a VPC. */
export interface VpcSituation extends VpcFacts, Situation<Vpc> {
  readonly object: ManagedVpc;
  readonly mirror: Mirror | undefined;
}

/** The situation of a VPC that the cloud shows, for its changes. */
export type ShownVpc = Shown<Vpc, VpcSituation>;
/** The situation of a VPC that must be deleted. */
export type DeletingVpc = Deleting<VpcSituation>;
/** The situation of a VPC that was not created, is lost, or cannot be read. */
export type MissingVpc = Missing<VpcSituation>;
/** The situation of a VPC that the cloud shows, for its rules. */
export type ExistingVpc = Existing<Vpc, VpcSituation>;

function isAt(
  peering: Peering,
  { peerAccountId, peerRegionCode, peerVpcId }: PeeringAddress,
): boolean {
  const { peer_account_id: account, peer_region_code: region, peer_vpc_id: vpc } = peering;
  return account === peerAccountId && region === peerRegionCode && vpc === peerVpcId;
}

type Recorded = Pick<VpcSituation, 'record'>;

function madeAt(address: PeeringAddress, { record }: Recorded): string | undefined {
  const recorded = record.peerings?.[peeringKey(address)];
  return recorded && 'id' in recorded ? recorded.id : undefined;
}

/**
 * The peering at an address: the peering that this object made there, else any peering with that address. Of
 * several peerings the best, independent of their order in the cloud's list.
 */
function peeringAt(
  address: PeeringAddress,
  shown: readonly Peering[],
  recorded: Recorded,
): Peering | undefined {
  const made = madeAt(address, recorded);
  const found = shown.filter((peering) =>
    made === undefined ? isAt(peering, address) : peering.id === made,
  );
  return found.find(isAccepted) ?? found.find((peering) => !hasPeeringFailed(peering)) ?? found[0];
}

/** The peerings of the spec that are neither recorded nor shown by the cloud. */
export function missingPeerings(
  { object, record }: Pick<VpcSituation, 'object' | 'record'>,
  shown: readonly Peering[],
): readonly PeeringAddress[] {
  return (object.spec.peerings ?? []).filter(
    (address) =>
      madeAt(address, { record }) === undefined && !peeringAt(address, shown, { record }),
  );
}

interface WantedPeering {
  readonly key: string;
  readonly peering: Peering | undefined;
}

/**
 * The peerings of the spec, each with the peering in the cloud. Empty while the peerings are not
 * read.
 */
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

/** Whether the other side has accepted the peering. */
export function isAccepted({ status }: Peering): boolean {
  return status === 'active';
}

/** Whether the cloud says that the peering failed. */
export function hasPeeringFailed({ status }: Peering): boolean {
  return status === 'failed';
}
