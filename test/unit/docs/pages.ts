import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { kinds } from '../../../src/resources/managed-object.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A page of the documentation: its path from the root of the repository, and its text. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

const places = [
  '*.md',
  'docs/**/*.md',
  'deploy/**/*.md',
  'test/{attack,control-plane}/*.md',
  'src/runtime/*.md',
];

export const pages: readonly Page[] = globSync(places, { cwd: root })
  .toSorted()
  .map((path) => ({ path, text: readFileSync(`${root}${path}`, 'utf8') }));

/** Each text between single backticks. */
export function spans(text: string): readonly string[] {
  return [...withoutFences(text).matchAll(/`([^`\n]+)`/gu)].map(([, span = '']) => span);
}

/** A block of a page: its language, such as `yaml` (empty for commands), and its content. */
export interface Block {
  readonly language: string;
  readonly content: string;
}

/** The blocks of a page, in its order. */
export function allBlocks(text: string): readonly Block[] {
  return [...text.matchAll(/^ *```(\w*)\n(.*?)^ *```$/gmsu)].map(
    ([, language = '', content = '']) => ({ language, content }),
  );
}

/** The content of each YAML block. */
export function yamlBlocks(text: string): readonly string[] {
  return allBlocks(text).flatMap(({ language, content }) => (language === 'yaml' ? [content] : []));
}

/** The blocks of YAML with an object of ours. */
export function manifestBlocks(text: string): readonly string[] {
  return yamlBlocks(text).filter((block) =>
    kinds.some((kind) => block.split('\n').includes(`kind: ${kind}`)),
  );
}

/** The content of each block without a language: commands and their output. */
export function blocks(text: string): readonly string[] {
  return allBlocks(text).flatMap(({ language, content }) => (language === '' ? [content] : []));
}

/** The text without blocks of code. */
export function withoutFences(text: string): string {
  return text.replaceAll(/^ *```.*?^ *```/gmsu, '');
}
