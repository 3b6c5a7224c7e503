import type { RuleOptions } from '../../src/reconcile/situation/situation.ts';

/** The options of an operator with default settings. */
export const defaultOptions: RuleOptions = {
  deletionPolicy: 'Delete',
  managementPolicy: 'Manage',
  sharedProjectAdoption: false,
  acceptedClusters: [],
};
