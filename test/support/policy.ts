import type { Policy } from '../../src/reconcile/situation/policy.ts';

/** The policy of an operator with default settings. */
export const policy: Policy = {
  deletionPolicy: 'Delete',
  managementPolicy: 'Manage',
  sharedProjectAdoption: false,
  acceptedClusters: [],
  seesAllObjects: true,
  soleCreator: false,
};
