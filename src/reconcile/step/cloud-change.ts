import type { CallOptions, ProjectApi } from '../../cloud/cloud-api.ts';
import type { ReplicaSetId, ServiceId, VpcId } from '../../cloud/wire/ids.ts';

/** Operations that change an existing resource. A password is not printable data, so it has an action of its own. */
export type ChangeOperation = Exclude<
  { [O in keyof ProjectApi]: ReturnType<ProjectApi[O]> extends Promise<void> ? O : never }[keyof ProjectApi],
  `delete${string}` | 'updateServicePassword'
>;

/** The arguments of an operation: its ids, then its value, as in {@link ProjectApi} without the options. */
export type ArgumentsOf<O extends ChangeOperation> =
  Required<Parameters<ProjectApi[O]>> extends [...infer A extends unknown[], CallOptions] ? A : never;

/** The deletion of a resource with everything in it. */
export type CloudDeletion =
  | { readonly operation: 'deleteVpc'; readonly id: VpcId }
  | { readonly operation: 'deleteService'; readonly id: ServiceId }
  | { readonly operation: 'deleteReplicaSet'; readonly parentId: ServiceId; readonly id: ReplicaSetId };

/** A change of an existing resource. Sending it twice is safe, since it states the wanted value. */
export type CloudChange<O extends ChangeOperation = ChangeOperation> = {
  [K in O]: { readonly operation: K; readonly args: ArgumentsOf<K> };
}[O];
