import { expect, test } from 'vitest';
import { SecretRefused, refusedStep, unlessRefused } from '../../../src/reconcile/connection/secret-refused.ts';
import { KubernetesError } from '../../../src/runtime/kubernetes-error.ts';

/** What Kubernetes answers to a Secret, and what becomes of it. */
async function answered(status: number, statusMessage: string): Promise<unknown> {
  const error = new KubernetesError({ operation: 'create Secret', kind: 'invalid', status, statusMessage });
  return unlessRefused('orders-db', { password: 'geheim' }, () => Promise.reject(error)).catch((thrown: unknown) => thrown);
}

test.each([403, 422])('a Secret that Kubernetes answers with %i is refused: trying again does not help', async (status) => {
  const refused = await answered(status, 'exceeded quota');
  expect(refused instanceof SecretRefused && refusedStep(refused).message).toContain('"exceeded quota"');
});

test.each([400, 409, 500])('an answer of %i is no refusal: it says nothing of the Secret', async (status) => {
  expect(await answered(status, 'dry run is not supported by a webhook')).toBeInstanceOf(KubernetesError);
});

test('words of Kubernetes that repeat a value of the Secret are not passed on', async () => {
  const refused = await answered(422, 'invalid value "geheim"');
  expect(refused instanceof SecretRefused && refusedStep(refused).message).not.toContain('geheim');
});
