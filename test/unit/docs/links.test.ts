import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { pages, withoutFences, type Page } from './pages.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** The anchors of a page, as GitHub makes them from its headings. */
function anchors(text: string): ReadonlySet<string> {
  const headings = [...withoutFences(text).matchAll(/^#+ (.+)$/gmu)].map(
    ([, heading = '']) => heading,
  );
  return new Set(
    headings.map((heading) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .replaceAll(/\s/gu, '-'),
    ),
  );
}

function brokenLinks({ path, text }: Page): readonly string[] {
  const targets = [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/gu)].map(
    ([, target = '']) => target,
  );
  return targets.filter((target) => {
    if (/^[a-z]+:/u.test(target)) return false;
    const [file = '', anchor] = target.split('#');
    const to = file === '' ? path : join(dirname(path), file);
    if (!existsSync(join(root, to))) return true;
    return anchor !== undefined && !anchors(readFileSync(join(root, to), 'utf8')).has(anchor);
  });
}

test('every link of a page leads somewhere', () => {
  expect(
    pages.flatMap((page) => brokenLinks(page).map((target) => `${page.path}: ${target}`)),
  ).toEqual([]);
});

test('every page of the documentation is reached from its index', () => {
  const reached = new Set<string>(['docs/README.md']);
  for (const from of reached) {
    const text = pages.find(({ path }) => path === from)?.text ?? '';
    for (const [, target = ''] of text.matchAll(/\]\(([^)\s#]+\.md)(?:#[^)\s]*)?\)/gu))
      reached.add(join(dirname(from), target));
  }
  expect(
    pages.map(({ path }) => path).filter((path) => path.startsWith('docs/') && !reached.has(path)),
  ).toEqual([]);
});
