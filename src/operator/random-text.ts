import { randomInt } from 'node:crypto';

/** The randomness of an operator, but for tests. */
export const chance = { random: () => randomInt(2 ** 47) / 2 ** 47, newId, newPassword };

const idLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const passwordLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.~';

/** An id for an attempt: 16 lowercase letters and digits, 80 bits. */
export function newId(): string {
  return textOf(16, idLetters);
}

/** A password of 32 characters, 189 bits. No character has a special meaning in a URI or a shell. */
export function newPassword(): string {
  return textOf(32, passwordLetters);
}

function textOf(length: number, letters: string): string {
  return Array.from({ length }, () => letters.charAt(randomInt(letters.length))).join('');
}
