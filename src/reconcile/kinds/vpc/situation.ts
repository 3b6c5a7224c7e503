import type { Shown } from '../../decide/pending-change.ts';
import type { Deleting, Existing, Missing } from '../../decide/rule.ts';
import type { CloudError } from '../../../cloud/cloud-error.ts';
import type { Peering } from '../../../cloud/wire/peering.ts';
import type { Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc, ManagedVpcStatus } from '../../../resources/managed-vpc.ts';
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
