import { parseAst } from 'vitest/node';

/** A place in a file that is changed to see whether a test fails. */
export interface Mutant {
  /** Path from the root of the repository. */
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
  /** `test`: the condition is negated. `case`: the case never matches. `call`: the statement is left out. */
  readonly kind: 'test' | 'case' | 'call';
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const comparisons: ReadonlySet<unknown> = new Set([
  '===',
  '!==',
  '<',
  '<=',
  '>',
  '>=',
  'in',
  'instanceof',
]);
const predicateMethods: ReadonlySet<unknown> = new Set([
  'filter',
  'some',
  'every',
  'find',
  'findLast',
  'findIndex',
]);

const openings: Readonly<Record<Mutant['kind'], (number: number) => string>> = {
  test: (number) => `globalThis.condition(${number}, (`,
  case: (number) => `globalThis.matching(${number}, (`,
  call: (number) => `(globalThis.isCalled(${number}) && (`,
};

/**
 * The mutants of a TypeScript file.
 * - Conditions: each operand of the tests of `if`, `?:` and loops; each operand in front of `&&` and `||`; each
 *   comparison; each predicate of `filter` and similar functions; each `case`, unless `return undefined` follows it.
 * - Calls: each statement that is a call, except calls of a logger.
 */
export function mutantsOf(file: string, source: string): readonly Mutant[] {
  const found = new Map<string, Mutant>();
  const add = ({ start, end }: Node, kind: Mutant['kind']) => {
    const before = source.slice(0, start).split('\n');
    const text = source.slice(start, end).replaceAll(/\s+/gu, ' ');
    found.set(`${start}-${end}`, {
      file,
      line: before.length,
      column: (before.at(-1) ?? '').length + 1,
      text,
      kind,
      start,
      end,
    });
  };
  const addTest = (node: unknown): void => {
    if (!isNode(node)) return;
    if (node.type === 'LogicalExpression' && node['operator'] !== '??') {
      addTest(node['left']);
      addTest(node['right']);
    } else if (node.type === 'ParenthesizedExpression') addTest(node['expression']);
    else if (node.type === 'UnaryExpression' && node['operator'] === '!') addTest(node['argument']);
    else add(node, 'test');
  };
  walk(parseAst(source, { lang: 'ts' }), (node) => {
    if ('test' in node && node.type !== 'SwitchCase') addTest(node['test']);
    if (node.type === 'LogicalExpression' && node['operator'] !== '??') addTest(node['left']);
    if (node.type === 'UnaryExpression' && node['operator'] === '!') addTest(node['argument']);
    if (node.type === 'BinaryExpression' && comparisons.has(node['operator'])) add(node, 'test');
    if (node.type === 'CallExpression') addTest(predicateOf(node));
    if (node.type === 'ExpressionStatement' && isLeftOut(node['expression'], source))
      add(node['expression'], 'call');
    if (node.type === 'SwitchStatement') for (const test of casesOf(node)) add(test, 'case');
  });
  return [...found.values()].toSorted((a, b) => a.start - b.start);
}

/** The same program, in which each mutant asks the functions of `worker.ts` whether it is alive. @param first number of the first mutant */
export function woven(source: string, mutants: readonly Mutant[], first: number): string {
  const marks = mutants.flatMap(({ start, end, kind }, index) => [
    { at: start, rank: 1, inner: -end, text: openings[kind](first + index) },
    { at: end, rank: 0, inner: -start, text: '))' },
  ]);
  // From the end to the beginning: where two marks meet, the outer mark is opened first, and closed last.
  const backwards = marks.toSorted((a, b) => b.at - a.at || b.rank - a.rank || b.inner - a.inner);
  return backwards.reduce(
    (text, mark) => text.slice(0, mark.at) + mark.text + text.slice(mark.at),
    source,
  );
}

/** No test is expected to read the log, and a constructor must call `super`. */
function isLeftOut(expression: unknown, source: string): expression is Node {
  if (!isNode(expression)) return false;
  if (expression.type === 'AwaitExpression') return isLeftOut(expression['argument'], source);
  if (expression.type === 'ChainExpression') return isLeftOut(expression['expression'], source);
  if (expression.type !== 'CallExpression' || !isNode(expression['callee'])) return false;
  const { start, end, type } = expression['callee'];
  return type !== 'Super' && !/\blog\b/u.test(source.slice(start, end));
}

/** The body of a predicate that is a single expression; a named function has its conditions where it stands. */
function predicateOf({ callee, arguments: given }: Node): unknown {
  if (!isNode(callee) || callee.type !== 'MemberExpression') return undefined;
  const predicate = listOf(given)[0];
  const isPredicate =
    isNode(callee['property']) && predicateMethods.has(callee['property']['name']);
  const isExpression =
    isNode(predicate) &&
    predicate.type === 'ArrowFunctionExpression' &&
    predicate['expression'] === true;
  return isPredicate && isExpression ? predicate['body'] : undefined;
}

/** Without a match nothing is returned: a case that returns nothing is the same with and without it. */
function casesOf({ cases }: Node): readonly Node[] {
  let returnsNothing = false;
  return listOf(cases)
    .toReversed()
    .filter(isNode)
    .flatMap(({ test, consequent }) => {
      const first = listOf(consequent)[0];
      if (isNode(first)) returnsNothing = isReturnOfNothing(first);
      return isNode(test) && !returnsNothing ? [test] : [];
    });
}

function isReturnOfNothing({ type, argument }: Node): boolean {
  return type === 'ReturnStatement' && (!isNode(argument) || argument['name'] === 'undefined');
}

function walk(node: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(node)) for (const each of node) walk(each, visit);
  else if (
    isNode(node) &&
    !node.type.startsWith('TSType') &&
    !node.type.startsWith('TSInterface')
  ) {
    visit(node);
    for (const child of Object.values(node)) walk(child, visit);
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isNode(value: unknown): value is Node {
  return (
    typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string'
  );
}
