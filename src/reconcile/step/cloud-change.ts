import type { EnvironmentTag } from '../../cloud/wire/endpoint.ts';
import type { ReplicaSetId, ServiceId, VpcId } from '../../cloud/wire/ids.ts';
import type { Resize, SetHighAvailability } from '../../cloud/wire/requests.ts';

interface OfReplicaSet {
  readonly parentId: ServiceId;
  readonly id: ReplicaSetId;
}

/** A change of something that exists, as the cloud is asked for it. Each may be sent again: it says how things shall be, not what to add. */
export type CloudChange =
  | { readonly operation: 'renameVpc'; readonly id: VpcId; readonly name: string }
  | { readonly operation: 'startService' | 'stopService'; readonly id: ServiceId }
  | { readonly operation: 'attachServiceToVpc' | 'detachServiceFromVpc'; readonly id: ServiceId; readonly vpcId: VpcId }
  | { readonly operation: 'resizeService'; readonly id: ServiceId; readonly size: Resize }
  | { readonly operation: 'setServiceHighAvailability'; readonly id: ServiceId; readonly replicas: SetHighAvailability }
  | { readonly operation: 'setServiceEnvironment'; readonly id: ServiceId; readonly environment: EnvironmentTag }
  | { readonly operation: 'enableServicePooler' | 'disableServicePooler'; readonly id: ServiceId }
  | ({ readonly operation: 'resizeReplicaSet'; readonly size: Resize } & OfReplicaSet)
  | ({ readonly operation: 'setReplicaSetEnvironment'; readonly environment: EnvironmentTag } & OfReplicaSet)
  | ({ readonly operation: 'enableReplicaSetPooler' | 'disableReplicaSetPooler' } & OfReplicaSet);
