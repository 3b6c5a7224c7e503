import { expect, test } from 'vitest';
import { errorOfReply, KubernetesError } from '../../../src/runtime/kubernetes-error.ts';

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
  expect(errorOfReply('get configmaps shop/orders', code, status({ code, reason }), undefined)).toMatchObject({
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
  expect(errorOfReply('patch configmaps shop/orders', code, status({ code, reason }), undefined).isRefusal).toBe(isRefusal);
});

test('a call that was not answered is no refusal', () => {
  expect(new KubernetesError({ operation: 'get', kind: 'network' }).isRefusal).toBe(false);
});

const refusedFor = (field: string) => {
  const details = { causes: [{ reason: 'FieldValueInvalid', field }] };
  return errorOfReply('patch configmaps shop/orders', 422, status({ code: 422, reason: 'Invalid', details }), undefined);
};

test('a patch that names the uid of another object is overtaken, not refused', () => {
  expect(refusedFor('metadata.uid')).toMatchObject({ kind: 'conflict', status: 422, isRefusal: false });
  expect(refusedFor('spec.regionCode')).toMatchObject({ kind: 'invalid', status: 422, isRefusal: true });
});

test('the message says what was done to what, what came of it, and what the server says', () => {
  const error = errorOfReply(
    'patch configmaps shop/orders',
    409,
    status({ reason: 'Conflict', message: 'the object has been modified' }),
    undefined,
  );
  expect(error.message).toBe('patch configmaps shop/orders: conflict (409): the object has been modified');
});

test('a page of something in between is told by its status alone', () => {
  expect(errorOfReply('list configmaps', 502, undefined, undefined)).toMatchObject({
    kind: 'server',
    message: 'list configmaps: server (502)',
    namespaceTerminating: false,
  });
  expect(errorOfReply('list configmaps', 409, { reason: 'AlreadyExists' }, undefined).kind).toBe('conflict');
});

test('a message without end is cut', () => {
  const error = errorOfReply('get', 422, status({ message: 'x'.repeat(100_000) }), undefined);
  expect(error.message.length).toBeLessThan(10_100);
});

const waits = (details: object, header: string | undefined) => errorOfReply('get', 429, status({ details }), header).retryAfterMs;

test('how long to wait is read from the status, else from the header', () => {
  expect(waits({ retryAfterSeconds: 3 }, '7')).toBe(3_000);
  expect(waits({}, '7')).toBe(7_000);
  expect(waits({}, 'Fri, 20 Nov 2026 10:00:00 GMT')).toBeUndefined();
  expect(waits({}, undefined)).toBeUndefined();
});

test('a namespace that is being deleted is told by its cause, not by its text', () => {
  const terminating = status({
    reason: 'Forbidden',
    details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
  });
  expect(errorOfReply('create', 403, terminating, undefined).namespaceTerminating).toBe(true);
  expect(errorOfReply('create', 403, status({ reason: 'Forbidden', message: 'is being terminated' }), undefined).namespaceTerminating).toBe(
    false,
  );
});
