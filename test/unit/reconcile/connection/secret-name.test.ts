import { expect, test } from 'vitest';
import { isSecretName } from '../../../../src/reconcile/connection/projection.ts';

test.each(['orders-db', 'a', 'a.b-c.d', 'x'.repeat(253)])(
  'Kubernetes accepts %j as the name of a Secret',
  (name) => {
    expect(isSecretName(name)).toBe(true);
  },
);

test.each(['a..b', 'a.-b', 'a-.b', 'A', '', '.', '..', 'a/b', 'x'.repeat(254)])(
  'Kubernetes refuses %j as the name of a Secret',
  (name) => {
    expect(isSecretName(name)).toBe(false);
  },
);
