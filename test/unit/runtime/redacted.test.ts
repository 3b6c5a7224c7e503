import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { redacted, valuesOfSecret } from '../../../src/runtime/redacted.ts';

const password = 'p"ss/wörd+ 1';
const base64 = (text: string) => Buffer.from(text).toString('base64');
const object = JSON.stringify({ kind: 'Secret', data: { password: base64(password) }, metadata: { name: 'orders-db' } });

test.each([
  ['as it is', password],
  ['in JSON', JSON.stringify({ password })],
  ['in JSON in JSON', JSON.stringify(JSON.stringify({ password }))],
  ['in a URL', `postgres://app:${encodeURIComponent(password)}@db/orders`],
  ['in base64', base64(password)],
  ['in base64 without its end', base64(password).replace(/=+$/u, '')],
  ['in the base64 of URLs', Buffer.from(password).toString('base64url')],
  ['as a part of something longer', `xx${password}yy`],
  ['in an object', object],
  ['in an object in base64, at each place', ['', ' ', '  '].map((shift) => base64(shift + object)).join(' and ')],
])('a value is not repeated %s', (_form, quoted) => {
  const words = redacted(`admission webhook "guard" denied the request: got ${quoted}, which is too weak`, [password]);
  expect(words).toMatch(/^admission webhook "guard" denied the request: got .*\[redacted\].*, which is too weak$/u);
  for (const form of [password, 'ss/wörd', base64(password).slice(0, 12), encodeURIComponent(password).slice(4)])
    expect(words).not.toContain(form);
  expect(words).not.toContain(base64(object).slice(12, 60));
});

test('what was not sent is hidden, too, where it looks like a quoted object', () => {
  expect(redacted(`denied: ${base64(object)}`, [])).toBe('denied: [redacted]');
});

test.each([
  'admission webhook "guard.example.com" denied the request: label team is missing',
  `ValidatingAdmissionPolicy 'secrets.example.com' with binding 'secrets' denied request: only rotation by ServiceAccount system:serviceaccount:vault:rotator`,
  'secrets "orders-db" is forbidden: exceeded quota: objects, requested: secrets=1, used: secrets=100, limited: secrets=100',
  'Secret "orders-db" is invalid: metadata.labels: Invalid value: "not a label": a valid label must be an empty string or consist of alphanumeric characters',
])('words that quote nothing are passed on as they are: %s', (words) => {
  expect(redacted(words, [password])).toBe(words);
});

test('a value shorter than eight characters is not hidden: where it is missing would show it', () => {
  expect(redacted('the gigabytes are gone', ['a', 'gig', 'bytes'])).toBe('the gigabytes are gone');
});

test('no value of a Secret is in what is left, whatever the words and the values', () => {
  const value = fc.string({ minLength: 8, maxLength: 30, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(value, { minLength: 1, maxLength: 4 }), fc.array(fc.string()), (values, between) => {
      const text = values.map((each, index) => `${between[index] ?? ''}${each}${between[index] ?? ''}`).join('');
      const left = redacted(text, values);
      expect(values.filter((each) => left.includes(each) && !'[redacted]'.includes(each))).toEqual([]);
    }),
  );
});

test('the values of a Secret are those of data and stringData, as they are sent and as they are meant', () => {
  const body = { data: { password: base64(password), odd: 7 }, stringData: { host: 'db.example.com' } };
  expect(new Set(valuesOfSecret(body))).toEqual(new Set([password, base64(password), 'db.example.com']));
  for (const other of [undefined, null, 'text', {}, { data: null }, { data: 'text' }]) expect(valuesOfSecret(other)).toEqual([]);
});
