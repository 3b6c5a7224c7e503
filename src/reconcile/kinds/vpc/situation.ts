import type { Shown } from '../../decide/pending-change.ts';
import type { Deleting, Existing, Missing } from '../../decide/rule.ts';
import type { CloudError } from '../../../cloud/cloud-error.ts';
import type { Peering } from '../../../cloud/wire/peering.ts';
import type { Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc, ManagedVpcStatus } from '../../../resources/managed-vpc.ts';
import type { Situation } from '../../situation/situation.ts';

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

export interface ShownPeerings {
  readonly peerings: readonly Peering[];
  /** Policy time at which the cloud accepted the DELETE of a peering in the last minute, by its id. */
  readonly acceptedAt: ReadonlyMap<string, number | undefined>;
  readonly asOf: number;
}

export interface ReadPeerings extends ShownPeerings {
  readonly state: 'read';
  /** The keys of the requests without an answer whose result may be missing from this list. */
  readonly open: readonly string[];
  /** Policy time at which this process first saw the peerings of the spec in exactly these states. */
  readonly since: number;
}

/** The VPC in status. */
export type Mirror = NonNullable<ManagedVpcStatus['vpc']>;

export interface VpcSituation extends Situation<Vpc> {
  readonly object: ManagedVpc;
  /** Undefined while the cloud does not show it. */
  readonly mirror: Mirror | undefined;
  readonly peerings: ObservedPeerings;
}

export type ShownVpc = Shown<Vpc, VpcSituation>;
export type DeletingVpc = Deleting<VpcSituation>;
export type MissingVpc = Missing<VpcSituation>;
export type ExistingVpc = Existing<Vpc, VpcSituation>;
