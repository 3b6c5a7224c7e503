/** What the operator was told at start-up and rules go by. */
export interface Policy {
  readonly deletionPolicy: 'Delete' | 'Retain';
  /** Observe: nothing is created, changed or deleted in the cloud, whatever specs and marks say. */
  readonly managementPolicy: 'Manage' | 'Observe';
  readonly sharedProjectAdoption: boolean;
  readonly acceptedClusters: readonly string[];
  /** Whether this process sees the objects of all namespaces: only then can it tell that nobody else has a claim. */
  readonly seesAllObjects: boolean;
  /** Nobody else creates resources in the projects of its keys: what turns up under a chosen name is then what was asked for. */
  readonly soleCreator: boolean;
}

/** Whether nobody else creates resources where the operator does, and it sees all who ask it to. */
export function createsAlone({ soleCreator, seesAllObjects }: Policy): boolean {
  return soleCreator && seesAllObjects;
}
