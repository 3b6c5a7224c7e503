import type { CallOptions, ProjectApi } from '../../cloud/cloud-api.ts';
import type { ReplicaSetId, ServiceId, VpcId } from '../../cloud/wire/ids.ts';

/** Operations that change something that exists. A password is no data: it is set by an action of its own. */
export type ChangeOperation = Exclude<
  { [O in keyof ProjectApi]: ReturnType<ProjectApi[O]> extends Promise<void> ? O : never }[keyof ProjectApi],
  `delete${string}` | 'updateServicePassword'
>;

/** What an operation is told: the ids, then the value, as {@link ProjectApi} has them before the options. */
export type ArgumentsOf<O extends ChangeOperation> =
  Required<Parameters<ProjectApi[O]>> extends [...infer A extends unknown[], CallOptions] ? A : never;

/** The removal of a resource, and of everything in it. */
export type CloudDeletion =
  | { readonly operation: 'deleteVpc'; readonly id: VpcId }
  | { readonly operation: 'deleteService'; readonly id: ServiceId }
  | { readonly operation: 'deleteReplicaSet'; readonly parentId: ServiceId; readonly id: ReplicaSetId };

/** A change of something that exists, as the cloud is asked for it. Each may be sent again: it says how things shall be, not what to add. */
export type CloudChange<O extends ChangeOperation = ChangeOperation> = {
  [K in O]: { readonly operation: K; readonly args: ArgumentsOf<K> };
}[O];
