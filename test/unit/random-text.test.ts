import { expect, test } from 'vitest';
import { newId, newPassword } from '../../src/operator/random-text.ts';

const thousand = <T>(make: () => T) => Array.from({ length: 1_000 }, make);

test('an id is 16 lowercase letters and digits that cannot be misread, fit for a name', () => {
  for (const id of thousand(newId)) expect(id).toMatch(/^[a-kmnp-z2-9]{16}$/u);
});

test('a password is 32 characters that mean nothing to a URI, a shell or YAML', () => {
  for (const password of thousand(newPassword)) {
    expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9_.~-]{32}$/u);
    expect(encodeURIComponent(password)).toBe(password);
  }
});

test.each([
  ['id', newId, 32],
  ['password', newPassword, 61],
] as const)(
  'every letter of an %s is as likely as any other',
  { timeout: 60_000 },
  (_, make, letters) => {
    const text = Array.from({ length: 10_000 }, make).join('');
    const counts = Map.groupBy(text, (letter) => letter);
    expect(counts.size).toBe(letters);
    // A share is off by a tenth by chance in 1 of 10^12 runs.
    const share = text.length / letters;
    for (const { length } of counts.values())
      expect(Math.abs(length - share)).toBeLessThan(share / 10);
  },
);

test('a thousand ids and a thousand passwords have no duplicates', () => {
  expect(new Set(thousand(newId)).size).toBe(1_000);
  expect(new Set(thousand(newPassword)).size).toBe(1_000);
});
