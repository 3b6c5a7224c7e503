import { randomBytes, randomInt } from 'node:crypto';

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

/** Ten lowercase letters and digits, as in the real cloud. */
export function newServiceId(): string {
  return Array.from({ length: 10 }, () => letters.charAt(randomInt(letters.length))).join('');
}

export function newNumericId(): string {
  return String(randomInt(1_000, 10_000_000_000));
}

export function newSecret(): string {
  return randomBytes(18).toString('base64url');
}
