import { expect, test } from 'vitest';
import { CloudError, TransportFailure } from '../../../../src/cloud/cloud-error.ts';
import {
  describeCloudError,
  altered,
  failedWriteStep,
} from '../../../../src/reconcile/step/errors.ts';
import {
  listed,
  listedToFit,
  shortened,
  withMore,
} from '../../../../src/reconcile/step/short-message.ts';
import { KubernetesError } from '../../../../src/runtime/index.ts';

const refused = (cloudMessage: string) =>
  new CloudError({
    operation: 'resizeService',
    kind: 'invalid',
    sent: true,
    fromApi: true,
    status: 422,
    cloudMessage,
  });

test('the words of the cloud are cut to 100 characters in the middle, and the advice after them stays', () => {
  const message = describeCloudError(
    refused('x'.repeat(300)),
    'resize the service',
    '; change the spec',
  );
  expect(message).toBe(
    `the cloud refused to resize the service: "${'x'.repeat(33)}…${'x'.repeat(66)}"; change the spec`,
  );
});

test('long advice leaves less room for the words of the cloud', () => {
  const message = describeCloudError(
    refused('x'.repeat(300)),
    'resize the service',
    `; ${'y'.repeat(100)}`,
  );
  expect(message).toHaveLength(200);
});

test('500 characters of the words of Kubernetes are kept, and their end, since the reason of a policy comes after its name', () => {
  const error = new KubernetesError({
    operation: 'patch secrets shop/orders-db',
    kind: 'forbidden',
    status: 403,
    statusMessage: `${'x'.repeat(900)}the reason`,
  });
  const step = failedWriteStep(error);
  expect('message' in step && step.message).toMatch(
    /^"x{166}…x{323}the reason": Kubernetes refuses [^"]*; check policies/u,
  );
});

test('an altered write is not called refused, since it succeeded', () => {
  const step = failedWriteStep(
    altered('patch managedvpcs shop/prod', 'the finalizer managed-db.io/cloud-resource'),
  );
  expect(step).toMatchObject({
    reason: 'InternalError',
    message:
      'after "patch managedvpcs shop/prod", the finalizer managed-db.io/cloud-resource is not kept as written: a mutating webhook or policy changes it; check policies, webhooks and the operator\'s ClusterRole; the operator retries',
  });
});

test('a broken connection has words, not the code of the HTTP client', () => {
  const cause = new TransportFailure('other side closed', 'UND_ERR_SOCKET');
  const error = new CloudError({
    operation: 'getService',
    kind: 'network',
    sent: true,
    fromApi: false,
    cause,
  });
  expect(describeCloudError(error, 'show the service')).toBe('the connection to the cloud broke');
});

test('a list of names shows three, and a message drops what does not fit', () => {
  expect(listed(['a', 'b', 'c', 'd', 'e'])).toBe('a, b, c and 2 more');
  expect(listed(['a', 'b', 'c'])).toBe('a, b, c');
  expect(withMore('a', '; then: b')).toBe('a; then: b');
  expect(withMore('a'.repeat(195), '; then: b')).toBe('a'.repeat(195));
});

test.each([
  ['all names', ['a', 'b', 'c', 'd', 'e'], 0, 'a, b, c, d, e'],
  [
    'the names that fit',
    ['a'.repeat(20), 'b'.repeat(20), 'c'],
    160,
    `${'a'.repeat(20)} and 2 more`,
  ],
  [
    'a cut first name',
    ['a'.repeat(90), 'b', 'c'],
    150,
    `${'a'.repeat(12)}…${'a'.repeat(26)} and 2 more`,
  ],
])('a message names %s, and always the number of the rest', (_, names, rest, expected) => {
  const text = listedToFit(names, ' '.repeat(rest));
  expect(text).toBe(expected);
  expect(text.length + rest).toBeLessThanOrEqual(200);
});

test.each([
  [
    'cpu is 14, and the cloud allows 500/2, 1000/4 and 2000/8',
    40,
    'cpu is 14, …500/2, 1000/4 and 2000/8',
  ],
  ['one two three four', 18, 'one two three four'],
  ['one two three four', 13, 'one …four'],
  ['xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 10, 'xxx…xxxxxx'],
])('"%s" is cut to %i characters between its words', (text, longest, expected) => {
  expect(shortened(text, longest)).toBe(expected);
});
