import { stripVTControlCharacters } from 'node:util';

/** Rows in columns, as kubectl shows them. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) => row.map((cell) => stripVTControlCharacters(cell)));
  const widths = head.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  const lines = all.map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('   '));
  return `${lines.map((line) => line.trimEnd()).join('\n')}\n`;
}
