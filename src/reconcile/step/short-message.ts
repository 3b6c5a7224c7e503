/** The longest message in a status, an event or the log, except for a quoted refusal of Kubernetes. */
const longestMessage = 200;

const fewestCharacters = 30;

const namesShown = 3;

/**
 * The text, cut so that the message fits. At least thirty characters stay.
 * @param rest the other parts of the message
 * @param most the most characters of the text
 */
export function cutToFit(text: string, rest: string, { most = longestMessage } = {}): string {
  return shortened(text, Math.max(Math.min(most, longestMessage - rest.length), fewestCharacters));
}

/** The text with "…" in place of its middle, between words. Its begin names the subject, and its end has the cause. */
export function shortened(text: string, longest: number): string {
  if (text.length <= longest) return text;
  const atBegin = Math.floor((longest - 1) / 3);
  const begin = withoutHalfWord(/\s\S{1,20}$/u, text.slice(0, atBegin + 1)).slice(0, atBegin);
  const end = withoutHalfWord(/^\S{1,20}\s/u, text.slice(text.length - (longest - atBegin)));
  return `${begin}…${end.slice(-(longest - 1 - atBegin))}`;
}

/** A longer word is cut: little of the text would stay. */
function withoutHalfWord(word: RegExp, text: string): string {
  return text.replace(word, (found) => (/^\s/u.test(found) ? ' ' : ''));
}

/** Three of the names, and the number of the rest. */
export function listed(names: readonly string[]): string {
  return firstOf(names, namesShown);
}

/**
 * As many of the names as fit into the message, and the number of the rest. If not even the first name fits, it is cut.
 * @param rest the other parts of the message
 */
export function listedToFit(names: readonly string[], rest: string): string {
  const room = Math.max(longestMessage - rest.length, fewestCharacters);
  for (let shown = names.length; shown > 1; shown -= 1) {
    const text = firstOf(names, shown);
    if (text.length <= room) return text;
  }
  const [first = ''] = names;
  const more = firstOf(names, 1).slice(first.length);
  return cutToFit(first, more + rest) + more;
}

function firstOf(names: readonly string[], shown: number): string {
  const more = names.length - shown;
  return names.slice(0, shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

/** The message with an addition, if both fit. */
export function withMore(message: string, more: string): string {
  return message.length + more.length > longestMessage ? message : message + more;
}
