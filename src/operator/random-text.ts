import { randomBytes as bytes, randomInt } from 'node:crypto';

type RandomBytes = (count: number) => Uint8Array;

/** The randomness of an operator, but for tests. */
export const chance = {
  random: () => randomInt(2 ** 47) / 2 ** 47,
  newId: () => newId(bytes),
  newPassword: () => newPassword(bytes),
};

const idLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const passwordLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.~';

/** An id for an attempt: 16 lowercase letters and digits, 80 bits. */
export function newId(randomBytes: RandomBytes): string {
  return textOf(16, idLetters, randomBytes);
}

/** A password of 32 characters, 189 bits. No character has a special meaning in a URI or a shell. */
export function newPassword(randomBytes: RandomBytes): string {
  return textOf(32, passwordLetters, randomBytes);
}

/** All letters are equally likely: bytes beyond the last whole multiple are dropped. */
function textOf(length: number, letters: string, randomBytes: RandomBytes): string {
  const limit = 256 - (256 % letters.length);
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < limit && text.length < length) text += letters.charAt(byte % letters.length);
    }
  }
  return text;
}
