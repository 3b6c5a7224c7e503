/** The longest message in a status, an event or the log, except for the words of a webhook or policy. */
const longestMessage = 200;
const fewestCharacters = 30;
/** A webhook or policy has a long name, and its reason comes after the name. */
export const fewestQuoted = 120;
const namesShown = 3;

/**
 * The text, cut with "…" so that the message fits.
 * @param rest the other parts of the message
 * @param fewest the characters that are kept even if the message is too long with them
 * @param most the most characters of the text
 */
export function cutToFit(text: string, rest: string, { fewest = fewestCharacters, most = longestMessage } = {}): string {
  const room = Math.max(Math.min(most, longestMessage - rest.length), fewest);
  return text.length > room ? `${text.slice(0, room - 1)}…` : text;
}

/** Three of the names, and the number of the rest. */
export function listed(names: readonly string[]): string {
  const more = names.length - namesShown;
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export function withMore(message: string, more: string): string {
  return message.length + more.length > longestMessage ? message : message + more;
}
