import { expect, test } from 'vitest';
import {
  SecretConflict,
  unlessRefused,
} from '../../../../src/reconcile/connection/secret-refused.ts';
import { failedWriteStep } from '../../../../src/reconcile/step/errors.ts';
import { KubernetesError } from '../../../../src/runtime/index.ts';

/** Refusals as API servers and admission webhooks word them. The cause stands behind names, policies and values of any length. */
const policies = Array.from(
  { length: 12 },
  (_, number) =>
    `require-label-${number}: {check: 'validation error: label l${number}. rule check failed at path /metadata/labels/l${number}/'}`,
);
const refusals: Readonly<Record<string, readonly [status: number, words: string, cause: string]>> =
  {
    'a webhook': [
      400,
      'admission webhook "names.policies.example.com" denied the request: not on a Saturday',
      'not on a Saturday',
    ],
    Kyverno: [
      403,
      'admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource ManagedService/shop/orders was blocked due to the following policies \n\nrequire-labels:\n  autogen-check-team: \'validation error: label team is required. rule autogen-check-team failed at path /metadata/labels/team/\'\n',
      'label team is required',
    ],
    'Kyverno with many policies': [
      403,
      `admission webhook "validate.kyverno.svc-fail" denied the request: \n\nresource Secret/shop/orders-db was blocked due to the following policies \n\n${policies.join('\n')}`,
      'label l11. rule check failed at path /metadata/labels/l11/',
    ],
    Gatekeeper: [
      403,
      'admission webhook "validation.gatekeeper.sh" denied the request: [all-databases-must-have-an-owner-label] you must provide labels: {"owner"}',
      'you must provide labels: {"owner"}',
    ],
    'our own ValidatingAdmissionPolicy': [
      422,
      `managedservices.managed-db.io "orders" is forbidden: ValidatingAdmissionPolicy 'managed-db-finalizers' with binding 'managed-db-finalizers' denied request: this object has lost its finalizer: annotate it, or its database stays in the cloud without an owner`,
      'its database stays in the cloud without an owner',
    ],
    'a quota': [
      403,
      'secrets "orders-db" is forbidden: exceeded quota: objects-of-the-team-shop, requested: count/secrets=1, used: count/secrets=10, limited: count/secrets=10',
      'limited: count/secrets=10',
    ],
    'a LimitRange': [
      403,
      'persistentvolumeclaims "orders" is forbidden: maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 5Gi',
      'but request is 5Gi',
    ],
    RBAC: [
      403,
      'secrets "managedservice-0f6c2c1e-5f0c-4a6e-9f60-6fd6b1f0c111" is forbidden: User "system:serviceaccount:managed-db-system:managed-db-operator" cannot patch resource "secrets" in API group "" in the namespace "managed-db-ledger"',
      'cannot patch resource "secrets" in API group "" in the namespace "managed-db-ledger"',
    ],
    'a namespace in deletion': [
      403,
      'secrets "managedservice-0f6c2c1e-5f0c-4a6e-9f60-6fd6b1f0c111" is forbidden: unable to create new content in namespace managed-db-ledger because it is being terminated',
      'because it is being terminated',
    ],
    'a value of any length': [
      422,
      `ManagedService.managed-db.io "orders" is invalid: spec.name: Invalid value: "${'x'.repeat(900)}": must be no longer than 128`,
      'must be no longer than 128',
    ],
  };

const rows = Object.entries(refusals);
const refusal = (operation: string, status: number, statusMessage: string) =>
  new KubernetesError({
    operation,
    kind: status === 403 ? 'forbidden' : 'invalid',
    status,
    statusMessage,
  });

test.each(rows)(
  'the message about a write that %s refused begins with its words, and keeps the cause',
  (_, [status, message, cause]) => {
    const operation =
      'patch secrets managed-db-ledger/managedservice-0f6c2c1e-5f0c-4a6e-9f60-6fd6b1f0c111';
    const step = failedWriteStep(refusal(operation, status, message));
    const { message: told } = step.type === 'keep' ? step.delayedReport : step;
    expect(told).toContain(cause);
    expect(told).toMatch(
      new RegExp(`^"${message.slice(0, 40).replaceAll(/[()[\].]/gu, String.raw`\$&`)}`, 'u'),
    );
    expect(told).toContain(
      `": Kubernetes refuses to ${operation} (HTTP ${status}); check policies`,
    );
    expect(told).toMatch(/^[^\n]{1,800}$/u);
  },
);

test.each(rows)(
  'the message about a connection Secret that %s refused keeps the cause',
  async (_, [status, message, cause]) => {
    const error = refusal('create secrets shop/orders-db', status, message);
    const refused = await unlessRefused('orders-db', 'a-long-password', () =>
      Promise.reject(error),
    ).catch((thrown: unknown) => thrown);
    const told = refused instanceof SecretConflict ? refused.step.message : '';
    expect(told).toContain(cause);
    expect(told).toContain(
      '": Kubernetes refuses Secret "orders-db"; correct spec.connectionSecret or the refusing policy',
    );
    expect(told).not.toMatch(/\n|\\u000a/u);
  },
);
