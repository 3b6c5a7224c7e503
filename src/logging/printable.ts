/** Control and format characters, halves of characters, and the separators of lines and paragraphs. */
const unprintable = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** The same without tab and line feed. */
const unprintableInLines = /[^\P{Cc}\t\n]|[\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

/**
 * The text on a single line, as a terminal, a log or a comment shows it. A character that a terminal would obey, or that
 * hides or reorders other characters, becomes its escape of JSON, such as `\u001b`. Anybody may choose a name in the cloud.
 */
export function printable(text: string): string {
  return text.replaceAll(unprintable, escapeOf);
}

/** Lines of text, or JSON, as {@link printable}: tabs and line feeds stay. JSON keeps its meaning. */
export function printableLines(text: string): string {
  return text.replaceAll(unprintableInLines, escapeOf);
}

function escapeOf(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
