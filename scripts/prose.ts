import { globSync, readFileSync } from 'node:fs';
import { argumentsOf } from './arguments.ts';

// Fails when docs or comments use more pronouns in place of nouns, or longer sentences, than the ceilings below. Lower a ceiling with each page that you rewrite.

argumentsOf('node scripts/prose.ts', {});
const root = new URL('../', import.meta.url);
const pronouns = {
  one: /\b(?:ones?|one's)\b/giu,
  what: /\bwhat(?:ever)?\b/giu,
  somebody: /\b(?:somebody|someone|nobody|no one|whoever|others|anybody)\b/giu,
} as const;

interface Ceiling {
  readonly files: string;
  readonly text: (file: string) => string;
  /** Occurrences in 1,000 words. */
  readonly most: Readonly<Record<keyof typeof pronouns, number>>;
  /** Words in nine of ten sentences. */
  readonly longest: number;
}

const ceilings: Readonly<Record<string, Ceiling>> = {
  docs: { files: 'docs/**/*.md', text: proseOf, most: { one: 1.1, what: 0.8, somebody: 0.3 }, longest: 23 },
  README: { files: 'README.md', text: proseOf, most: { one: 0.5, what: 1, somebody: 0.1 }, longest: 21 },
  'comments of src': { files: 'src/**/*.ts', text: commentsOf, most: { one: 0.1, what: 0.2, somebody: 0.1 }, longest: 18 },
  'comments of test': { files: 'test/**/*.ts', text: commentsOf, most: { one: 7.0, what: 13.2, somebody: 3.4 }, longest: 19 },
};

for (const [name, { files, text, most, longest }] of Object.entries(ceilings)) {
  const all = globSync(files, { cwd: root })
    .map((file) => text(readFileSync(new URL(file, root), 'utf8')))
    .join('\n');
  const words = all.match(/[A-Za-z']+/gu)?.length ?? 1;
  for (const [word, pattern] of Object.entries(pronouns)) {
    const per1000 = Math.round((10_000 * (all.match(pattern)?.length ?? 0)) / words) / 10;
    const ceiling = Object.entries(most).find(([each]) => each === word)?.[1] ?? 0;
    if (per1000 > ceiling) complain(`${name}: "${word}" occurs ${per1000} times in 1,000 words, of at most ${ceiling}: name the noun`);
  }
  const lengths = all
    .split(/(?<=[.!?:;])\s+/u)
    .map((sentence) => sentence.split(/\s+/u).filter((word) => word !== '').length)
    .filter((length) => length > 0)
    .toSorted((one, other) => one - other);
  const usual = lengths[Math.floor(0.9 * (lengths.length - 1))] ?? 0;
  if (usual > longest) complain(`${name}: one sentence in ten has more than ${usual} words, of at most ${longest}: split it`);
}

function complain(message: string): void {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
}

function proseOf(page: string): string {
  return page
    .replaceAll(/```.*?```/gsu, ' ')
    .replaceAll(/^\|?[-| :]+\|?$/gmu, ' ')
    .replaceAll(/`[^`]*`/gu, ' x ');
}

function commentsOf(source: string): string {
  return source.match(/\/\/[^\n]*|\/\*.*?\*\//gsu)?.join('\n') ?? '';
}
