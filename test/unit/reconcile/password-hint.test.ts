import { expect, test } from 'vitest';
import type { SecretSight } from '../../../src/reconcile/connection/observe-secret.ts';
import { withoutSecrets } from '../../../src/reconcile/connection/secret-contents.ts';
import { hintOf } from '../../../src/reconcile/kinds/service/rules/ready.ts';

const place = { name: 'orders-db', pending: undefined, pendingBlocked: undefined };
const metadata = { name: 'orders-db', namespace: 'shop', uid: '1', resourceVersion: '1' };
const ours = (data: Readonly<Record<string, string>>): SecretSight => ({
  ...place,
  state: 'ours',
  secret: withoutSecrets({ metadata, type: undefined, data }),
});

test('that nobody has told the password is said of a Secret that was seen without one, and of no other', () => {
  expect(hintOf(ours({}))).toContain('without a password');
  expect(hintOf(ours({ password: 'hunter2-hunter2' }))).toBe('');
  expect(hintOf({ ...place, state: 'unread' })).toBe('');
});
