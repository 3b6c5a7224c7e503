import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createVitest, type TestModule, type TestSpecification } from 'vitest/node';
import { argumentsOf } from './arguments.ts';
import { conditionsOf, woven, type Condition } from './mutation/conditions.ts';

// Turns round each condition of each rule, one at a time, and runs the tables of the policy, of which one should notice.
//
//     npm run test:rules -- [--list] [PART OF A FILE NAME ...]
//
// --list names the conditions. One that no table misses has SURVIVED: it wants a row, or it is not needed and goes. BROKEN is no verdict: the tests
// could not be run with it. No file is changed: the program is woven while it is loaded.

const root = fileURLToPath(new URL('..', import.meta.url));
/** Where the rules are: files, or folders with all that is in them, from the root. */
const rules = ['src/reconcile/decide', 'src/reconcile/kinds/*/rules', 'src/reconcile/kinds/**/fields.ts'];
const tables = 'test/unit/reconcile/policy/';

type Verdict = 'killed' | 'SURVIVED' | 'BROKEN';
interface Weave {
  readonly source: string;
  /** Number of the first condition. */
  readonly first: number;
  readonly conditions: readonly Condition[];
}

const { values, positionals } = argumentsOf('npm run test:rules -- [--list] [PART OF A FILE NAME ...]', { list: { type: 'boolean' } });
const weaves = new Map<string, Weave>();
let count = 0;
for (const file of rules.flatMap(filesIn).toSorted()) {
  const source = await readFile(`${root}${file}`, 'utf8');
  const conditions = conditionsOf(file, source);
  weaves.set(file, { source, first: count, conditions });
  count += conditions.length;
}
const chosen = [...weaves]
  .filter(([file]) => positionals.length === 0 || positionals.some((part) => file.includes(part)))
  .flatMap(([, { first, conditions }]) => conditions.map((condition, index) => ({ number: first + index, condition })));

if (values.list) for (const { condition } of chosen) process.stdout.write(`${nameOf(condition)}\n`);
else process.exitCode = await tryAll();

/** A place where nothing is any more would be passed over in silence. */
function filesIn(place: string): readonly string[] {
  const found = globSync(place.endsWith('.ts') ? place : `${place}/**/*.ts`, { cwd: root });
  if (found.length > 0) return found;
  process.stderr.write(`there are no rules in ${place}: bring the list in scripts/rules.ts up to date\n`);
  process.exit(1);
}

function nameOf({ file, line, column, text }: Condition): string {
  return `${file}:${line}:${column} ${text}`;
}

async function tryAll(): Promise<number> {
  const tests = await runner();
  try {
    const whole = await tests.run(-1, tests.all);
    if (whole.length === 0 || !whole.every((module) => module.ok())) {
      process.stderr.write('the tables are red with all rules as they are, or there are none: mend them first\n');
      for (const module of whole) if (!module.ok()) process.stderr.write(`${module.relativeModuleId}\n`);
      return 1;
    }
    const reachedBy = new Map(whole.map((module) => [module.moduleId, new Set(module.meta().reached)]));
    const others: string[] = [];
    for (const { number, condition } of chosen) {
      const concerned = tests.all.filter(({ moduleId }) => reachedBy.get(moduleId)?.has(number));
      const verdict = concerned.length === 0 ? 'SURVIVED' : verdictOf(await tests.run(number, concerned));
      if (verdict === 'killed') continue;
      others.push(`${verdict}: ${nameOf(condition)}${concerned.length === 0 ? ' (no row comes to it)' : ''}\n`);
      process.stdout.write(others.at(-1) ?? '');
    }
    process.stdout.write(`${chosen.length - others.length} of ${chosen.length} conditions are missed when they are turned round\n`);
    return others.length > 0 ? 1 : 0;
  } finally {
    await tests.close();
  }
}

/** A file that could not be loaded has no tests that could fail. */
function verdictOf(modules: readonly TestModule[]): Verdict {
  if (modules.some((module) => !module.children.allTests('failed').next().done)) return 'killed';
  return modules.length > 0 && modules.every((module) => module.ok()) ? 'SURVIVED' : 'BROKEN';
}

async function runner() {
  const vitest = await createVitest(
    {
      root,
      watch: false,
      config: false,
      include: [`${tables}**/*.test.ts`],
      setupFiles: [`${root}scripts/mutation/worker.ts`],
      reporters: [{}],
      provide: { inverted: -1 },
      bail: 1,
      // What was woven for another run has other numbers.
      fsModuleCache: false,
    },
    {
      plugins: [
        {
          name: 'weave-conditions',
          enforce: 'pre',
          transform(_, id) {
            const weave = weaves.get(id.replace(root, ''));
            return weave && woven(weave.source, weave.conditions, weave.first);
          },
        },
      ],
    },
  );
  const all = await vitest.globTestSpecifications();
  return {
    all,
    async run(inverted: number, specifications: TestSpecification[]): Promise<readonly TestModule[]> {
      for (const project of vitest.projects) project.provide('inverted', inverted);
      await vitest.runTestSpecifications(specifications);
      // What the run returns are the files of all runs.
      return specifications.flatMap(({ testModule }) => testModule ?? []);
    },
    close: () => vitest.close(),
  };
}
