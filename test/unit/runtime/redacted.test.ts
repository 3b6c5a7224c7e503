import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { redacted, valuesOfSecret } from '../../../src/runtime/redacted.ts';
import { awkwardPassword, quotations, tracesOf } from '../secret-forms.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');
const password = awkwardPassword;
const object = JSON.stringify({
  kind: 'Secret',
  data: { password: base64(password) },
  metadata: { name: 'orders-db' },
});

test('the forms of the password differ', () => {
  const traces = tracesOf(password);
  expect(new Set(traces).size).toBe(traces.length);
  expect(base64(password)).toMatch(/[+/].*=$/u);
});

test.each([
  ...quotations,
  ['in an object', () => object] as const,
  [
    'in an object in base64, at each place',
    () => ['', ' ', '  '].map((shift) => base64(shift + object)).join(' and '),
  ] as const,
])('a value of a Secret is hidden in a message that quotes the value %s', (_how, quoted) => {
  const words = redacted(
    `admission webhook "guard" denied the request: got ${quoted(password)}, which is too weak`,
    [password],
  );
  expect(words).toMatch(
    /^admission webhook "guard" denied the request: got .*\[redacted\].*, which is too weak$/u,
  );
  expect(tracesOf(password).filter((trace) => words.includes(trace))).toEqual([]);
  expect(words).not.toContain(base64(object).slice(12, 60));
});

test('text that looks like a quoted object in base64 is hidden even if the operator sent no such value', () => {
  expect(redacted(`denied: ${base64(object)}`, [])).toBe('denied: [redacted]');
});

test.each([
  'admission webhook "guard.example.com" denied the request: label team is missing',
  `ValidatingAdmissionPolicy 'secrets.example.com' with binding 'secrets' denied request: only rotation by ServiceAccount system:serviceaccount:vault:rotator`,
  'secrets "orders-db" is forbidden: exceeded quota: objects, requested: secrets=1, used: secrets=100, limited: secrets=100',
  'Secret "orders-db" is invalid: metadata.labels: Invalid value: "not a label": a valid label must be an empty string or consist of alphanumeric characters',
])('a message that quotes no value is passed on unchanged: %s', (words) => {
  expect(redacted(words, [password])).toBe(words);
});

test('a value shorter than eight characters is not hidden, because the gaps would reveal the value', () => {
  expect(redacted('the gigabytes are gone', ['a', 'gig', 'bytes'])).toBe('the gigabytes are gone');
});

test('a redacted message contains no value of the Secret, for any message and values', () => {
  const value = fc.string({ minLength: 8, maxLength: 30, unit: 'grapheme' });
  fc.assert(
    fc.property(
      fc.array(value, { minLength: 1, maxLength: 4 }),
      fc.array(fc.string()),
      (values, between) => {
        const text = values
          .map((each, index) => `${between[index] ?? ''}${each}${between[index] ?? ''}`)
          .join('');
        const left = redacted(text, values);
        expect(
          values.filter((each) => left.includes(each) && !'[redacted]'.includes(each)),
        ).toEqual([]);
      },
    ),
  );
});

test('the values of a Secret are the values of data, encoded and decoded, and of stringData', () => {
  const body = {
    data: { password: base64(password), odd: 7 },
    stringData: { host: 'db.example.com' },
  };
  expect(new Set(valuesOfSecret(body))).toEqual(
    new Set([password, base64(password), 'db.example.com']),
  );
  for (const other of [undefined, null, 'text', {}, { data: null }, { data: 'text' }])
    expect(valuesOfSecret(other)).toEqual([]);
});
