import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

const templates = new URL('../../deploy/helm/managed-db-operator/templates/', import.meta.url);
/** Template expressions behind a key, a dash, a bracket or other text of the line, without quotes around them. */
const unquoted =
  /(?:[\w.}]: |- [-\w=]*|[[,] ?)\{\{ (?!-|if |else|end |range |with )(?<written>.*?) \}\}(?![-\w]*\S)/gu;
const safe = /(?:\bquote|^quote .*|^toJson .*|^int .*|\| int)$/u;
/** These files hold messages for people, not YAML. */
const prose = /^(?:_checks\.tpl|NOTES\.txt)$/u;

test('each template value behind a key or a dash is quoted or a number, since YAML reads a name like 123, true or null as a different type', async () => {
  const files = (await readdir(templates)).filter((name) => !prose.test(name));
  const texts = await Promise.all(
    files.map(async (name) => ({ name, text: await readFile(new URL(name, templates), 'utf8') })),
  );
  const found = texts.flatMap(({ name, text }) =>
    [...text.matchAll(unquoted)].map(({ groups }) => `${name}: ${groups?.['written'] ?? ''}`),
  );
  expect(found.length).toBeGreaterThan(50);
  expect(found.filter((line) => !safe.test(line.replace(/^[^:]*: /u, '')))).toEqual([]);
});
