import { expect, test } from 'vitest';
import { blocks, pages, spans } from './pages.ts';

/** What is typed into a shell, in blocks and between backticks. */
const isCommand = (text: string) => /\b(?:helm|kubectl|docker|cosign) [a-z]/u.test(text);

test('each variable in a command of a page is set on that page', () => {
  const unset = pages.flatMap(({ path, text }) => {
    const typed = [...blocks(text), ...spans(text)];
    const used = new Set(
      typed.filter(isCommand).flatMap((each) => [...each.matchAll(/\$\{?([A-Z][A-Z_]*)/gu)].map(([, name = '']) => name)),
    );
    return [...used]
      .filter((name) => !typed.some((each) => new RegExp(`\\b${name}=\\S`, 'u').test(each)))
      .map((name) => `${path}: ${name}`);
  });
  expect(unset).toEqual([]);
});

/** Each command on a line of its own, without remarks. */
const commandsIn = (block: string) =>
  block
    .replaceAll(/ +#.*$/gmu, '')
    .replaceAll(/ *\\\n */gu, ' ')
    .split('\n');
/** The first block of a page, with the place of the chart as in a clone. */
const firstOf = (path: string) => {
  const [first = ''] = blocks(pages.find((page) => page.path === path)?.text ?? '');
  return commandsIn(first).map((command) => command.replace('$CHART', 'deploy/helm/managed-db-operator'));
};

test('what the README begins with is what the quick start has, each line of which a test types', () => {
  const [registry, install, ...rest] = firstOf('README.md');
  expect(install).toContain('helm install ');
  expect(firstOf('docs/first-database.md')).toEqual(expect.arrayContaining([registry, install]));
  expect(rest).toEqual(['']);
});
