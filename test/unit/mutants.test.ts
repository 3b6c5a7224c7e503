import { expect, test } from 'vitest';
import { mutantsOf, woven } from '../../scripts/mutation/mutants.ts';

const textsOf = (source: string) => mutantsOf('a.ts', source).map(({ text }) => text);

test.each<[string, string, ...string[]]>([
  ['an if is split into its operands', 'if (a && (!b || c(d))) throw e;', 'a', 'b', 'c(d)'],
  ['a ternary', 'const a: string = b.c ? d : e;', 'b.c'],
  ['what stands in front of && and ||', 'const a = b && c || d;', 'b', 'c'],
  ['a comparison wherever it stands', 'const f = (a: A) => a.b === 1;', 'a.b === 1'],
  ['the body of a predicate', 'const cs = as.filter(({ b }) => b).map((c) => c);', 'b'],
  ['a default is none', 'const a = b ?? c;'],
  [
    'a case that returns something',
    'function f() { switch (a) { case 1: case 2: return b; case 3: return; case 4: return undefined; } }',
    '1',
    '2',
  ],
  [
    'a statement that is a call',
    'async function f() { await a.b(c); d?.(); return e(); }',
    'await a.b(c)',
    'd?.()',
  ],
  [
    'a line of the log is none, nor is the constructor of a parent',
    'class A { constructor() { super(); this.log.warn(1); } }',
  ],
  ['a type is none', 'type A = B extends C ? D : E;'],
])('%s', (_, source, ...texts) => {
  expect(textsOf(source)).toEqual(texts);
});

test('each condition is told by its line, and asks under a number of its own, an inner one within the outer one', () => {
  const source = 'const f = (xs: number[]) =>\n  xs.some((x) => x > 1) ? 1 : 0;\n';
  const mutants = mutantsOf('a.ts', source);
  expect(mutants.map(({ line, column, text }) => [line, column, text])).toEqual([
    [2, 3, 'xs.some((x) => x > 1)'],
    [2, 18, 'x > 1'],
  ]);
  expect(woven(source, mutants, 7)).toBe(
    'const f = (xs: number[]) =>\n  globalThis.condition(7, (xs.some((x) => globalThis.condition(8, (x > 1))))) ? 1 : 0;\n',
  );
});

test('a call is left out as a whole, with the mutants inside', () => {
  const source = 'await f(a === 1);';
  expect(woven(source, mutantsOf('a.ts', source), 3)).toBe(
    '(globalThis.isCalled(3) && (await f(globalThis.condition(4, (a === 1)))));',
  );
});
