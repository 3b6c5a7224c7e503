import { managedServices } from '../resources/managed-service.ts';
import { managedVpcs } from '../resources/managed-vpc.ts';
import { replicaSets } from '../resources/replica-set.ts';
import type { ManagedObject } from './situation.ts';

/** The name of a kind in paths, and in commands. */
export const plurals: Readonly<Record<ManagedObject['kind'], string>> = {
  ManagedVpc: managedVpcs.plural,
  ManagedService: managedServices.plural,
  ReplicaSet: replicaSets.plural,
};
