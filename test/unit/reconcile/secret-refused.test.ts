import { expect, test } from 'vitest';
import { SecretRefused, refusedStep, unlessRefused } from '../../../src/reconcile/connection/secret-refused.ts';
import { errorOfReply, KubernetesError } from '../../../src/runtime/kubernetes-error.ts';

/** What Kubernetes answers to a Secret, and what becomes of it. */
async function answered(status: number, statusMessage: string, data: Record<string, string> = { password: 'geheim' }): Promise<unknown> {
  const error = errorOfReply('create Secret', status, { kind: 'Status', message: statusMessage }, undefined);
  return unlessRefused('orders-db', data, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
}

test.each([400, 403, 413, 422])('a Secret that Kubernetes answers with %i is refused: trying again does not help', async (status) => {
  const refused = await answered(status, 'exceeded quota');
  expect(refused instanceof SecretRefused && refusedStep(refused).message).toContain('"exceeded quota"');
});

test.each([401, 404, 409, 410, 429, 500])('an answer of %i is no refusal: it says nothing of the Secret', async (status) => {
  expect(await answered(status, 'try again')).toBeInstanceOf(KubernetesError);
});

test('in a namespace that is being deleted, nothing is to be corrected', async () => {
  const causes = [{ reason: 'NamespaceTerminating' }];
  const error = errorOfReply('create Secret', 403, { kind: 'Status', message: 'being terminated', details: { causes } }, undefined);
  const refused = await unlessRefused('orders-db', {}, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
  const told = refused instanceof SecretRefused ? refusedStep(refused).message : '';
  expect(told).toContain('the namespace is being deleted');
  expect(told).not.toContain('spec.connectionSecret');
});

const password = 'Tz8!kQ/4mm+b';

test.each([
  ['as it is', password],
  ['in base64', Buffer.from(password).toString('base64')],
  ['percent-encoded', encodeURIComponent(password)],
  ['in JSON', JSON.stringify(password)],
])('words of Kubernetes that repeat a password %s are not passed on', async (_, form) => {
  const refused = await answered(422, `denied: {"password":"${form}"}`, { password });
  expect(refused instanceof SecretRefused && refused.words).toBeUndefined();
});

test('words of Kubernetes that repeat what is no secret are passed on', async () => {
  const words = 'found new finalizers []string{"managed-db.io/connection"}';
  const refused = await answered(422, words, { provider: 'managed-db', password });
  expect(refused instanceof SecretRefused && refused.words).toBe(words);
});
