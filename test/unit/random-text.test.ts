import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { newId, newPassword } from '../../src/operator/random-text.ts';

/** Random bytes that a test chose; when they run out, the same again. */
function scripted(bytes: readonly number[]): (count: number) => Uint8Array {
  let next = 0;
  return (count) => Uint8Array.from({ length: count }, () => bytes[next++ % bytes.length] ?? 0);
}

// Byte 7 is always usable; a source without usable bytes is not a random source.
const source = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 64 }).map((bytes) => scripted([...bytes, 7]));

test('an id is 16 lowercase letters and digits that cannot be misread, fit for a name', () => {
  fc.assert(
    fc.property(source, (bytes) => {
      expect(newId(bytes)).toMatch(/^[a-kmnp-z2-9]{16}$/u);
    }),
  );
});

test('a password is 32 characters that mean nothing to a URI, a shell or YAML', () => {
  fc.assert(
    fc.property(source, (bytes) => {
      const password = newPassword(bytes);
      expect(password).toMatch(/^[A-HJ-NP-Za-km-z2-9_.~-]{32}$/u);
      expect(encodeURIComponent(password)).toBe(password);
    }),
  );
});

test.each([
  ['id', newId, 32],
  ['password', newPassword, 61],
] as const)('every letter of an %s is as likely as any other', { timeout: 60_000 }, (_, make, letters) => {
  const text = Array.from({ length: 10_000 }, () => make(randomBytes)).join('');
  const counts = Map.groupBy(text, (letter) => letter);
  expect(counts.size).toBe(letters);
  // If the remainder of 256 is not rejected, shares differ by a fifth; chance causes a tenth in 1 of 10^12 runs.
  const share = text.length / letters;
  for (const { length } of counts.values()) expect(Math.abs(length - share)).toBeLessThan(share / 10);
});

test('a thousand ids and a thousand passwords have no duplicates', () => {
  expect(new Set(Array.from({ length: 1000 }, () => newId(randomBytes))).size).toBe(1000);
  expect(new Set(Array.from({ length: 1000 }, () => newPassword(randomBytes))).size).toBe(1000);
});
