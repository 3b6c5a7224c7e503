import { expect, test } from 'vitest';
import { blocks, pages, spans } from './pages.ts';

/** Shell commands, in blocks and between backticks. */
const isCommand = (text: string) => /\b(?:helm|kubectl|docker|cosign) [a-z]/u.test(text);

test('each variable in a command of a page is set on that page', () => {
  const unset = pages.flatMap(({ path, text }) => {
    const typed = [...blocks(text), ...spans(text)];
    const used = new Set(
      typed
        .filter(isCommand)
        .flatMap((each) =>
          [...each.matchAll(/\$\{?([A-Z][A-Z_]*)/gu)].map(([, name = '']) => name),
        ),
    );
    return [...used]
      .filter((name) => !typed.some((each) => new RegExp(`\\b${name}=\\S`, 'u').test(each)))
      .map((name) => `${path}: ${name}`);
  });
  expect(unset).toEqual([]);
});

/** Each command on a separate line, without remarks, with the place of the chart as in a clone. */
const commandsIn = (block: string) =>
  block
    .replaceAll(/ +#.*$/gmu, '')
    .replaceAll(/ *\\\n */gu, ' ')
    .replaceAll('$CHART', 'deploy/helm/managed-db-operator')
    .split('\n');
const blocksOf = (path: string) => blocks(pages.find((page) => page.path === path)?.text ?? '');

test('the README begins with a command of package.json, and installs the chart as the first database does with a cloud', () => {
  const [first = ''] = blocksOf('README.md');
  expect(commandsIn(first)).toEqual(['npm ci && npm run demo', '']);
  const installs = ['README.md', 'docs/first-database.md'].map((path) =>
    blocksOf(path)
      .flatMap(commandsIn)
      .find((command) => command.startsWith('helm install') && command.includes('cloudUrl')),
  );
  expect(installs[0]).toContain('helm install');
  expect(installs[1]).toBe(installs[0]);
});

/** Programs of packages in package.json. Outside a clone, `npx` downloads a package of the name, which any stranger may have published. */
const ofDependencies: ReadonlySet<string> = new Set(['tsc', 'vitest']);

test('a page runs npx only for a program of a dependency: this project publishes no npm package', () => {
  const strange = pages.flatMap(({ path, text }) =>
    [...blocks(text), ...spans(text)]
      .flatMap((typed) => [...typed.matchAll(/\bnpx +(\S+)/gu)].map(([, program = '']) => program))
      .filter((program) => !ofDependencies.has(program))
      .map((program) => `${path}: npx ${program}`),
  );
  expect(strange).toEqual([]);
});
