import type { Shown } from '../../decide/pending-change.ts';
import type { Deleting, Existing, Missing } from '../../decide/rule.ts';
import type { CloudError } from '../../../cloud/cloud-error.ts';
import type { Snapshot } from '../../../cloud/list-poller.ts';
import type { Peering } from '../../../cloud/wire/peering.ts';
import type { Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import type { Situation } from '../../situation/situation.ts';

/** The peerings of the VPC; `unneeded` if neither spec nor record names one. */
export type ObservedPeerings =
  | { readonly state: 'unneeded' }
  /** `missing`: the recorded peerings that the list `shown` lacks, and that are not proven to be gone. */
  | {
      readonly state: 'unknown';
      readonly error: CloudError | undefined;
      readonly missing?: readonly string[];
      readonly shown?: Pick<Snapshot<Peering>, 'items' | 'begunAt'>;
    }
  | ReadPeerings;

export interface ReadPeerings {
  readonly state: 'read';
  readonly peerings: readonly Peering[];
  /** Whether a peering that is not among them does not exist, as far as the cloud's lists can prove it. */
  readonly isConclusive: boolean;
  /** The peerings that the list lacks without an explanation. */
  readonly unexplained: readonly string[];
  /** Policy time of the list. */
  readonly asOf: number;
  /** Policy time at which this process first saw the peerings of the spec in exactly these states. */
  readonly since: number;
}

/** The situation of a ManagedVpc. */
export interface VpcSituation extends Situation<Vpc> {
  readonly object: ManagedVpc;
  readonly peerings: ObservedPeerings;
  /** The policy times at which the removals of peerings that go on were accepted, by their ids. */
  readonly removals: ReadonlyMap<string, number>;
}

export type ShownVpc = Shown<Vpc, VpcSituation>;
export type DeletingVpc = Deleting<VpcSituation>;
export type MissingVpc = Missing<VpcSituation>;
export type ExistingVpc = Existing<Vpc, VpcSituation>;
