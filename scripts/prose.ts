import { globSync, readFileSync } from 'node:fs';
import { argumentsOf } from './arguments.ts';

// Fails when docs, messages or comments use more pronouns in place of nouns, more home-made verbs, or longer sentences than the ceilings below.
// Lower a ceiling with each page that you rewrite.

argumentsOf('node scripts/prose.ts', {});
const root = new URL('../', import.meta.url);
const unwanted = {
  one: /\b(?:ones?|one's)\b/giu,
  what: /\bwhat(?:ever)?\b/giu,
  somebody: /\b(?:somebody|someone|nobody|no one|whoever|others|anybody)\b/giu,
  'go on, tell':
    /\b(?:tells?|told|hears?|heard|asks? for|asked for|made again|anew|on (?:its|their) way|lets? go|go(?:es)? on|of its own)\b/giu,
} as const;

interface Ceiling {
  readonly files: string;
  readonly text: (file: string) => string;
  /** Occurrences in 1,000 words. */
  readonly most: Readonly<Record<keyof typeof unwanted, number>>;
  /** Words in nine of ten sentences. */
  readonly longest: number;
}

const ceilings: Readonly<Record<string, Ceiling>> = {
  docs: {
    files: 'docs/**/*.md',
    text: proseOf,
    most: { one: 0.8, what: 0.7, somebody: 0.1, 'go on, tell': 0.5 },
    longest: 22,
  },
  README: {
    files: 'README.md',
    text: proseOf,
    most: { one: 0.5, what: 1, somebody: 0.1, 'go on, tell': 0 },
    longest: 21,
  },
  'comments of src': {
    files: 'src/**/*.ts',
    text: commentsOf,
    most: { one: 0.1, what: 0.2, somebody: 0.1, 'go on, tell': 0.8 },
    longest: 20,
  },
  'comments of test': {
    files: 'test/**/*.ts',
    text: commentsOf,
    most: { one: 0.3, what: 0.2, somebody: 0.1, 'go on, tell': 1.9 },
    longest: 19,
  },
  'messages of src': {
    files: 'src/**/*.ts',
    text: messagesOf,
    most: { one: 0.3, what: 0.4, somebody: 0.2, 'go on, tell': 0.3 },
    longest: 9,
  },
};

for (const [name, { files, text, most, longest }] of Object.entries(ceilings)) {
  const all = globSync(files, { cwd: root })
    .map((file) => text(readFileSync(new URL(file, root), 'utf8')))
    .join('\n');
  const words = all.match(/[A-Za-z']+/gu)?.length ?? 1;
  for (const [word, pattern] of Object.entries(unwanted)) {
    const per1000 = Math.round((10_000 * (all.match(pattern)?.length ?? 0)) / words) / 10;
    const ceiling = Object.entries(most).find(([each]) => each === word)?.[1] ?? 0;
    if (per1000 > ceiling)
      complain(
        `${name}: "${word}" occurs ${per1000} times in 1,000 words, of at most ${ceiling}: use a noun, or a verb of Kubernetes`,
      );
  }
  const lengths = all
    .split(/(?<=[.!?:;])\s+/u)
    .map((sentence) => sentence.split(/\s+/u).filter((word) => word !== '').length)
    .filter((length) => length > 0)
    .toSorted((one, other) => one - other);
  const usual = lengths[Math.floor(0.9 * (lengths.length - 1))] ?? 0;
  if (usual > longest)
    complain(
      `${name}: one sentence in ten has more than ${usual} words, of at most ${longest}: split it`,
    );
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

/** Texts with a blank, without the values in them. */
function messagesOf(source: string): string {
  const code = source.replaceAll(/^\s*(?:\/\/|\/?\*).*$/gmu, '').replaceAll(/\$\{[^}]*\}/gu, ' x ');
  return code.match(/'[^'\n]* [^'\n]*'|`[^`]* [^`]*`/gu)?.join('.\n') ?? '';
}
