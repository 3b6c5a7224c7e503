type RandomBytes = (count: number) => Uint8Array;

const idLetters = 'abcdefghijkmnpqrstuvwxyz23456789';
const passwordLetters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789-_.~';

/** 16 lowercase letters and digits, 80 bits: what an attempt is known by. */
export function newId(randomBytes: RandomBytes): string {
  return textOf(16, idLetters, randomBytes);
}

/** 32 characters that no URI and no shell takes for something else, 189 bits. */
export function newPassword(randomBytes: RandomBytes): string {
  return textOf(32, passwordLetters, randomBytes);
}

/** Each letter is as likely as any other: bytes beyond the last whole multiple are thrown away. */
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
