/** An operator that may take over, and attach to, whatever its own key reaches. */
export const sharedProject = {
  settings: { policy: { deletionPolicy: 'Delete', sharedProjectAdoption: true, acceptedClusters: [], seesAllObjects: true } },
} as const;
