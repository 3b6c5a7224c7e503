import { expect, test } from 'vitest';
import { pathOf } from '../../../src/runtime/kubernetes-object.ts';

const secrets = { group: '', version: 'v1', plural: 'secrets' };

test.each(['', '.', '..', 'a/b', '../x', '%2e%2e', '/'])(
  'a name that would lead elsewhere in a path is refused: %j',
  (name) => {
    expect(() => pathOf(secrets, 'shop', name)).toThrow('no object can have the name');
  },
);

test.each(['a', 'a.b', 'orders-db', '...', 'system:admin'])(
  'a valid object name is accepted in a path: %j',
  (name) => {
    expect(pathOf(secrets, 'shop', name)).toBe(
      `/api/v1/namespaces/shop/secrets/${encodeURIComponent(name)}`,
    );
  },
);
