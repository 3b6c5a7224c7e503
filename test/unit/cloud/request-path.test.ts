import { expect, test } from 'vitest';
import { requestPath } from '../../../src/cloud/cloud-client.ts';

const base = new URL('https://cloud.example/api/');
const oneSet = '/projects/{project_id}/services/{service_id}/replicaSets/{replica_set_id}';

test.each([
  [
    'an id for each parameter, percent-encoded',
    oneSet,
    ['p 1', 's/1', 'r1'],
    '/api/projects/p%201/services/s%2F1/replicaSets/r1',
  ],
  ['no parameters', '/auth/info', [], '/api/auth/info'],
  ['an id too few', oneSet, ['p', 'r'], undefined],
  ['an id too many', '/projects/{project_id}/services', ['p', 's'], undefined],
  ['an empty id', oneSet, ['p', '', 'r'], undefined],
  ['a folder', oneSet, ['p', '..', 'r'], undefined],
] as const)('the path with %s', (_what, path, ids, expected) => {
  expect(requestPath(base, path, ids)).toBe(expected);
});
