import { expect, test } from 'vitest';
import { SecretRefused, refusedStep, unlessRefused } from '../../../src/reconcile/connection/secret-refused.ts';
import { KubernetesError } from '../../../src/runtime/kubernetes-error.ts';

/** What Kubernetes answers to a Secret, and what becomes of it. */
async function answered(status: number, statusMessage: string, data: Record<string, string> = { password: 'geheim' }): Promise<unknown> {
  const error = new KubernetesError({ operation: 'create Secret', kind: 'invalid', status, statusMessage });
  return unlessRefused('orders-db', data, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
}

test.each([403, 422])('a Secret that Kubernetes answers with %i is refused: trying again does not help', async (status) => {
  const refused = await answered(status, 'exceeded quota');
  expect(refused instanceof SecretRefused && refusedStep(refused).message).toContain('"exceeded quota"');
});

test.each([400, 409, 500])('an answer of %i is no refusal: it says nothing of the Secret', async (status) => {
  expect(await answered(status, 'dry run is not supported by a webhook')).toBeInstanceOf(KubernetesError);
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
