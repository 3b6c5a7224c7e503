/** Whether `npm run test:kubernetes` runs the tests on an older version of Kubernetes. A test that needs a newer version says so. */
export const isOlderKubernetes = (process.env['MANAGED_DB_TEST_KUBERNETES'] ?? '') !== '';
