import type { Deleting, Existing, Missing } from '../../decide/phase.ts';
import type { CloudError } from '../../../cloud/cloud-error.ts';
import type { Peering, Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import type { Situation } from '../../situation/situation.ts';

/** The peerings of the VPC, as far as they matter: `unneeded` where neither spec nor record names one. */
export type PeeringsSight =
  | { readonly state: 'unneeded' }
  | { readonly state: 'unknown'; readonly error: CloudError }
  | {
      readonly state: 'read';
      readonly peerings: readonly Peering[];
      /** The list was begun late enough after every pending POST that what came of it must show. */
      readonly isConclusive: boolean;
      /** Policy time of the look. */
      readonly asOf: number;
      /** Policy time at which this process first saw them in these very states. */
      readonly since: number;
    };

/** What the rules of a ManagedVpc decide by. */
export interface VpcSituation extends Situation<Vpc> {
  readonly object: ManagedVpc;
  readonly peerings: PeeringsSight;
}

export type DeletingVpc = Deleting<VpcSituation>;
export type MissingVpc = Missing<VpcSituation>;
export type ExistingVpc = Existing<Vpc, VpcSituation>;
