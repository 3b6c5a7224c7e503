/** Where our kinds live in the Kubernetes API. Final from the first release. */
export const apiGroup = 'managed-db.io';
export const apiVersion = 'v1alpha1';
