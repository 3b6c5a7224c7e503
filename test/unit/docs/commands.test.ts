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
