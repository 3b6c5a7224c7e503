import { expect, test } from 'vitest';
import {
  nameTaken,
  SecretConflict,
  unlessRefused,
} from '../../../../src/reconcile/connection/secret-refused.ts';
import { credentialsLabel } from '../../../../src/resources/annotations.ts';
import { serviceObject } from '../../../support/situation.ts';
import { KubernetesError, type KubernetesErrorKind } from '../../../../src/runtime/index.ts';

/** The result of a Secret write that fails with this answer of Kubernetes. */
async function answered(
  kind: KubernetesErrorKind,
  statusMessage: string,
  password = 'geheim',
): Promise<unknown> {
  const error = new KubernetesError({ operation: 'create Secret', kind, statusMessage });
  return unlessRefused('orders-db', password, () => Promise.reject(error)).catch(
    (thrown: unknown) => thrown,
  );
}

test.each(['invalid', 'forbidden', 'altered'] as const)(
  'a Secret that Kubernetes calls %s is refused: trying again does not help',
  async (kind) => {
    const refused = await answered(kind, 'exceeded quota');
    expect(refused instanceof SecretConflict && refused.step.message).toContain('"exceeded quota"');
  },
);

test.each([
  'unauthorized',
  'notFound',
  'conflict',
  'gone',
  'tooManyRequests',
  'server',
  'network',
] as const)('the reply %s is no refusal of the Secret', async (kind) => {
  expect(await answered(kind, 'try again')).toBeInstanceOf(KubernetesError);
});

test('a refused Secret in a namespace that is being deleted does not count as a refusal', async () => {
  const error = new KubernetesError({
    operation: 'create Secret',
    kind: 'forbidden',
    namespaceTerminating: true,
  });
  await expect(unlessRefused('orders-db', undefined, () => Promise.reject(error))).rejects.toBe(
    error,
  );
});

const special = 'Tz8!kQ/4mm+b';

test.each([
  ['as it is', special],
  ['in base64', Buffer.from(special).toString('base64')],
  ['percent-encoded', encodeURIComponent(special)],
  ['in JSON', JSON.stringify(special)],
])('words of Kubernetes that repeat a password %s are not passed on', async (_, form) => {
  const refused = await answered('invalid', `denied: {"password":"${form}"}`, special);
  expect(refused instanceof SecretConflict && refused.step.message).toBe(
    'Kubernetes refuses Secret "orders-db"; correct spec.connectionSecret or the refusing policy, or delete an immutable Secret',
  );
});

test('words of Kubernetes that repeat other data of the Secret than the password are passed on', async () => {
  const words = 'denied: {"provider":"managed-db"}';
  const refused = await answered('invalid', words, special);
  expect(refused instanceof SecretConflict && refused.step.message).toContain(words);
});

const created = { resourceVersion: '1', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' };

test.each<[sentence: string, spec: object, labels: Record<string, string>, isAdvised: boolean]>([
  ['the API key of the object', { credentialsRef: { name: 'taken' } }, {}, false],
  ['the password of the object', { password: { secretRef: { name: 'taken' } } }, {}, false],
  ['the API key of another object', {}, { [credentialsLabel]: 'true' }, false],
  ['nothing that the operator reads', {}, {}, true],
])(
  'the deletion of a Secret with the name is advised only for a Secret with nothing that the operator needs: %s',
  (_, spec, labels, isAdvised) => {
    const secret = { metadata: { namespace: 'shop', name: 'taken', labels, ...created } };
    const { message } = nameTaken(secret, { ...serviceObject(), spec });
    expect(message).toMatch(/choose another spec\.connectionSecret\.name/u);
    expect(message.includes('delete that Secret')).toBe(isAdvised);
  },
);
