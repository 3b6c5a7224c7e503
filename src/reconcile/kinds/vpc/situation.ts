import type { CloudError } from '../../../cloud/cloud-error.ts';
import type { Peering, Vpc } from '../../../cloud/wire/vpc.ts';
import type { ManagedVpc } from '../../../resources/managed-vpc.ts';
import type { CloudSight } from '../../situation/cloud-sight.ts';
import type { AdoptionSight, SameNames, Situation } from '../../situation/situation.ts';

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
export interface VpcSituation extends Situation {
  readonly object: ManagedVpc;
  readonly cloud: CloudSight<Vpc>;
  readonly sameNames: SameNames;
  readonly adoption: AdoptionSight;
  readonly peerings: PeeringsSight;
}
