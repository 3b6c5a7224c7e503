import { managedServices, type ManagedService } from './managed-service.ts';
import { managedVpcs, type ManagedVpc } from './managed-vpc.ts';
import { replicaSets, type ReplicaSet } from './replica-set.ts';

/** An object of any of our kinds. */
export type ManagedObject = ManagedVpc | ManagedService | ReplicaSet;

/** The name of a kind in paths, and in commands. */
export const plurals: Readonly<Record<ManagedObject['kind'], string>> = {
  ManagedVpc: managedVpcs.plural,
  ManagedService: managedServices.plural,
  ReplicaSet: replicaSets.plural,
};
