/** The API group and version of the kinds. Fixed since the first release. */
export const apiGroup = 'managed-db.io';
export const apiVersion = 'v1alpha1';
