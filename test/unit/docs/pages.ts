import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A page of the documentation: its path from the root of the repository, and its text. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

const places = ['*.md', 'docs/**/*.md', 'deploy/**/*.md', 'test/{attack,control-plane}/*.md', 'src/runtime/*.md'];

export const pages: readonly Page[] = globSync(places, { cwd: root })
  .toSorted()
  .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }));

/** What stands between single backticks. */
export function spans(text: string): readonly string[] {
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/gu)].map(([, span = '']) => span);
}

/** What stands in the blocks without a language: commands, and what they print. */
export function blocks(text: string): readonly string[] {
  return [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gmsu)].flatMap(([, language, block = '']) => (language === '' ? [block] : []));
}

/** The text without blocks of code. */
export function withoutFences(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```/gmsu, '');
}
