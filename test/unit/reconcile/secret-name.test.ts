import { expect, test } from 'vitest';
import { whyNameIsInvalid } from '../../../src/reconcile/connection/secret-name.ts';

test.each(['orders-db', 'a', 'a.b-c.d', 'x'.repeat(245)])('%j can be the name of a connection Secret', (name) => {
  expect(whyNameIsInvalid(name)).toBeUndefined();
});

test.each(['a..b', 'a.-b', 'a-.b', 'A', '', '.', '..', 'a/b'])('Kubernetes takes no Secret that is called %j', (name) => {
  expect(whyNameIsInvalid(name)).toContain('none that Kubernetes takes');
});

test('a name beside which there is no room for a password on its way is too long', () => {
  expect(whyNameIsInvalid('x'.repeat(246))).toContain('254 of at most 253 characters');
});
