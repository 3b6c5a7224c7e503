import { printable } from '../logging/printable.ts';

/** Rows in columns, as kubectl shows them. Names come from the cloud, so each cell stays on its line and in its column. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map(printable));
  const widths = head.map((_, column) =>
    Math.max(...all.map((row) => columnsOf(row[column] ?? ''))),
  );
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - columnsOf(cell)))
      .join('   '),
  );
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}

/** Characters that take two columns in a terminal, and those that take none. */
const wide =
  /[\p{sc=Han}\p{sc=Hangul}\p{sc=Hira}\p{sc=Kana}\p{Emoji_Presentation}\u3000-\u303e\uff01-\uff60\uffe0-\uffe6]/u;
const narrow = /\p{M}/u;

/** The columns of a text in a terminal. */
function columnsOf(text: string): number {
  return Array.from(text).reduce(
    (sum, character) => sum + (wide.test(character) ? 2 : narrow.test(character) ? 0 : 1),
    0,
  );
}
