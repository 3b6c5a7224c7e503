import type { RuleOptions } from '../../src/reconcile/situation/options.ts';

/** The options of an operator with default settings. */
export const defaultOptions: RuleOptions = {
  deletionPolicy: 'Delete',
  managementPolicy: 'Manage',
  sharedProjectAdoption: false,
  acceptedClusters: [],
};
