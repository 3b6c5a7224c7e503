import { expect, test } from 'vitest';
import {
  CloudError,
  type CloudErrorKind,
  TransportFailure,
} from '../../../../src/cloud/cloud-error.ts';
import { describeCloudError, errorPolicy } from '../../../../src/reconcile/step/errors.ts';

const refused = new TransportFailure('connect ECONNREFUSED 127.0.0.1:1', 'ECONNREFUSED');

test.each<[CloudErrorKind, object, string]>([
  ['server', { status: 503, cloudMessage: 'request 8812 failed' }, 'the cloud fails (HTTP 503)'],
  ['server', {}, 'the cloud fails'],
  ['network', { cause: refused }, 'the cloud refuses the connection'],
  ['network', {}, 'the cloud cannot be reached'],
  ['timeout', {}, 'the cloud did not answer in time'],
  ['rateLimited', { status: 429 }, 'the cloud limits how often this API key may call it'],
  ['conflict', { cloudMessage: 'busy' }, 'the cloud cannot show the service now: "busy"'],
  ['aborted', {}, 'the operator was stopping, or was not sure to be the leader'],
  [
    'unreadable',
    { field: 'id: expected a string' },
    "the cloud's reply could not be understood (id: expected a string)",
  ],
  ['forbidden', { cloudMessage: 'no' }, 'the cloud refused to show the service: "no"'],
  [
    'invalid',
    { field: 'an id that cannot stand in a path' },
    'the cloud refused to show the service (an id that cannot stand in a path)',
  ],
])('%s %o is told as "%s"', (kind, details, words) => {
  expect(
    describeCloudError(
      new CloudError({ operation: 'getService', kind, sent: true, fromApi: false, ...details }),
      'show the service',
    ),
  ).toBe(words);
});

test('an address without the API of the cloud is told as such, and counts as an outage', () => {
  const error = new CloudError({
    operation: 'getCredentialsInfo',
    kind: 'notFound',
    status: 404,
    cloudMessage: 'there is no GET /v1/auth/info',
    sent: true,
    fromApi: true,
  });
  expect(describeCloudError(error, 'show the service', '; the operator retries')).toBe(
    'the cloud has no API at the --cloud-url of the operator, which its administrator must check: "there is no GET /v1/auth/info"; the operator retries',
  );
  expect(errorPolicy(error)).toMatchObject({ type: 'wait', reason: 'CloudUnavailable' });
});
