import type { Kind, ObjectOf } from '../../resources/managed-object.ts';
import type { Situation } from '../situation/situation.ts';
import type { KindReconciler } from './kind.ts';
import { replicaSetKind } from './replica-set/kind.ts';
import { serviceKind } from './service/kind.ts';
import { vpcKind } from './vpc/kind.ts';

/** The reconciler of each kind. A kind that is missing here does not compile. */
export const reconcilers: {
  readonly [K in Kind]: KindReconciler<Situation & { readonly object: ObjectOf<K> }>;
} = {
  ManagedVpc: vpcKind,
  ManagedService: serviceKind,
  ReplicaSet: replicaSetKind,
};
