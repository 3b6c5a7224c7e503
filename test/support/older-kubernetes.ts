const { MANAGED_DB_TEST_KUBERNETES: version = '' } = process.env;
/** Infinity without `npm run test:kubernetes`: the version of the project. */
const minor = version === '' ? Infinity : Number(version.split('.')[1]);

/** Whether the tests run on a version of Kubernetes before this minor version of 1. A test that needs a newer version says so. */
export function isKubernetesBefore(needed: number): boolean {
  return minor < needed;
}

/** Whether the API server streams its lists (WatchList): 1.31 and 1.33 do not, unless their feature gate is set. */
export const streamsLists = !isKubernetesBefore(34);
