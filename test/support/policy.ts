import type { Policy } from '../../src/reconcile/situation/policy.ts';

/** What an operator goes by that was told nothing else. */
export const policy: Policy = {
  deletionPolicy: 'Delete',
  managementPolicy: 'Manage',
  sharedProjectAdoption: false,
  acceptedClusters: [],
  seesAllObjects: true,
  soleCreator: false,
};
