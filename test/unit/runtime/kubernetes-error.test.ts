import { expect, test } from 'vitest';
import { errorOfReply, KubernetesError } from '../../../src/runtime/kubernetes-error.ts';

const orders = { name: 'orders', kind: 'configmaps' };
const getOrders = {
  operation: 'get configmaps shop/orders',
  about: { plural: 'configmaps', name: 'orders' },
};
const status = (more: object) => ({ kind: 'Status', apiVersion: 'v1', status: 'Failure', ...more });

test.each([
  [400, 'BadRequest', 'invalid'],
  [401, 'Unauthorized', 'unauthorized'],
  [403, 'Forbidden', 'forbidden'],
  [404, 'NotFound', 'notFound'],
  [409, 'AlreadyExists', 'alreadyExists'],
  [409, 'Conflict', 'conflict'],
  [410, 'Expired', 'gone'],
  [422, 'Invalid', 'invalid'],
  [429, 'TooManyRequests', 'tooManyRequests'],
  [500, 'InternalError', 'server'],
  [503, 'ServiceUnavailable', 'server'],
  [504, 'Timeout', 'server'],
])('%i %s is %s', (code, reason, kind) => {
  expect(
    errorOfReply(getOrders, { status: code, body: status({ code, reason, details: orders }) }),
  ).toMatchObject({
    name: 'KubernetesError',
    kind,
    status: code,
  });
});

test.each([
  [400, 'BadRequest', true], // a webhook that denies without a code
  [401, 'Unauthorized', false],
  [403, 'Forbidden', true],
  [404, 'NotFound', false],
  [409, 'AlreadyExists', false],
  [409, 'Conflict', false],
  [410, 'Expired', false],
  [413, 'RequestEntityTooLarge', true],
  [418, 'Teapot', true],
  [422, 'Invalid', true],
  [429, 'TooManyRequests', false],
  [302, 'Found', false],
  [500, 'InternalError', false],
])('%i %s: the request itself is refused: %s', (code, reason, isRefusal) => {
  expect(
    errorOfReply({ operation: 'patch' }, { status: code, body: status({ code, reason }) })
      .isRefusal,
  ).toBe(isRefusal);
});

test('a call that was not answered is no refusal', () => {
  expect(new KubernetesError({ operation: 'get', kind: 'network' }).isRefusal).toBe(false);
});

const refusedFor = (field: string) => {
  const details = { causes: [{ reason: 'FieldValueInvalid', field }] };
  return errorOfReply(
    { operation: 'patch' },
    { status: 422, body: status({ code: 422, reason: 'Invalid', details }) },
  );
};

test('a patch that names the uid of another object is overtaken, not refused', () => {
  expect(refusedFor('metadata.uid')).toMatchObject({
    kind: 'conflict',
    status: 422,
    isRefusal: false,
  });
  expect(refusedFor('spec.regionCode')).toMatchObject({
    kind: 'invalid',
    status: 422,
    isRefusal: true,
  });
});

test('the message says what was done to what, what came of it, and what the server says', () => {
  const error = errorOfReply(
    { operation: 'patch configmaps shop/orders' },
    { status: 409, body: status({ reason: 'Conflict', message: 'the object has been modified' }) },
  );
  expect(error.message).toBe(
    'patch configmaps shop/orders: conflict (409): the object has been modified',
  );
});

test('a page of something in between is told by its status alone', () => {
  expect(
    errorOfReply({ operation: 'list configmaps' }, { status: 502, body: undefined }),
  ).toMatchObject({
    kind: 'server',
    message: 'list configmaps: server (502)',
    namespaceTerminating: false,
  });
  expect(
    errorOfReply({ operation: 'list' }, { status: 409, body: { reason: 'AlreadyExists' } }).kind,
  ).toBe('conflict');
});

test('a message without end is cut', () => {
  const error = errorOfReply(
    { operation: 'get' },
    { status: 422, body: status({ message: 'x'.repeat(100_000) }) },
  );
  expect(error.message.length).toBeLessThan(10_100);
});

const waits = (details: object, retryAfter: string | undefined) =>
  errorOfReply({ operation: 'get' }, { status: 429, body: status({ details }), retryAfter })
    .retryAfterMs;

test('how long to wait is read from the status, else from the header', () => {
  expect(waits({ retryAfterSeconds: 3 }, '7')).toBe(3_000);
  expect(waits({}, '7')).toBe(7_000);
  expect(waits({}, 'Fri, 20 Nov 2026 10:00:00 GMT')).toBeUndefined();
  expect(waits({}, undefined)).toBeUndefined();
});

const isTerminating = (body: object) =>
  errorOfReply({ operation: 'create' }, { status: 403, body }).namespaceTerminating;

test('a namespace that is being deleted is told by its cause, not by its text', () => {
  const terminating = status({
    reason: 'Forbidden',
    details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
  });
  expect(isTerminating(terminating)).toBe(true);
  expect(isTerminating(status({ reason: 'Forbidden', message: 'is being terminated' }))).toBe(
    false,
  );
});

test.each([
  [
    'a missing namespace',
    status({ reason: 'NotFound', details: { name: 'shop', kind: 'namespaces' } }),
  ],
  [
    'another object of the same kind',
    status({ reason: 'NotFound', details: { name: 'other', kind: 'configmaps' } }),
  ],
  [
    'an object of the same name and of another kind',
    status({ reason: 'NotFound', details: { name: 'orders', kind: 'secrets' } }),
  ],
  ['no object', status({ reason: 'NotFound' })],
  ['a path that the server does not serve, as a page without a Status', undefined],
])('a 404 about %s does not prove that the requested object is gone', (_, body) => {
  expect(errorOfReply(getOrders, { status: 404, body })).toMatchObject({
    kind: 'placeMissing',
    isRefusal: false,
  });
});
