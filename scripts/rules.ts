import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createVitest, type TestSpecification } from 'vitest/node';
import { argumentsOf } from './arguments.ts';
import { mutantsOf, woven, type Mutant } from './mutation/mutants.ts';

// Negates each condition and leaves out each call, a single change at a time. Runs the unit tests that come to it: a test should fail.
//
//     npm run test:rules -- [--list] [PART OF A FILE NAME ...]
//
// --list names the mutants. A mutant that no test notices has SURVIVED: a test is missing, or the code is not needed, or the mutant means the same.
// No file is changed: the program is woven while it is loaded.

const root = fileURLToPath(new URL('..', import.meta.url));

interface Part {
  /** Folders with all that is in them, and files, from the root. */
  readonly places: readonly string[];
  readonly tests: readonly string[];
  /** Share of the mutants that the tests must notice at least. */
  readonly least: number;
}
const parts: readonly Part[] = [
  {
    places: [
      'src/reconcile/decide',
      'src/reconcile/kinds/*/rules',
      'src/reconcile/kinds/**/fields.ts',
      'src/reconcile/kinds/mirror.ts',
      'src/reconcile/kinds/vpc/peering-plan.ts',
    ],
    tests: [
      'test/unit/reconcile/decide/',
      'test/unit/reconcile/kinds/',
      'test/unit/reconcile/report/',
    ],
    least: 1,
  },
  {
    places: [
      'src/reconcile/act',
      'src/reconcile/ledger',
      'src/reconcile/observe',
      'src/reconcile/connection',
      'src/cloud',
    ],
    tests: ['test/unit/reconcile/', 'test/unit/cloud/'],
    // Tests against a control plane cover more; unit tests alone run here. Some mutants mean the same.
    least: 0.5,
  },
];

interface Weave {
  readonly source: string;
  readonly mutants: readonly Mutant[];
  /** Number of the first mutant. */
  readonly first: number;
  readonly part: Part;
}

const { values, positionals } = argumentsOf(
  'npm run test:rules -- [--list] [PART OF A FILE NAME ...]',
  { list: { type: 'boolean' } },
);
const weaves = new Map<string, Weave>();
let count = 0;
for (const part of parts) {
  for (const file of part.places.flatMap(filesIn).toSorted()) {
    const source = await readFile(`${root}${file}`, 'utf8');
    const mutants = mutantsOf(file, source);
    weaves.set(file, { source, mutants, first: count, part });
    count += mutants.length;
  }
}
const chosen = [...weaves].filter(
  ([file]) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
);

if (values.list)
  for (const [, { mutants }] of chosen)
    for (const mutant of mutants) process.stdout.write(`${nameOf(mutant)}\n`);
else process.exitCode = await tryAll();

/** A place where nothing is any more would be passed over in silence. */
function filesIn(place: string): readonly string[] {
  const found = globSync(place.endsWith('.ts') ? place : `${place}/**/*.ts`, { cwd: root });
  if (found.length > 0) return found;
  process.stderr.write(
    `there is nothing in ${place}: bring the parts in scripts/rules.ts up to date\n`,
  );
  process.exit(1);
}

function nameOf({ file, line, column, kind, text }: Mutant): string {
  return `${file}:${line}:${column} ${kind === 'call' ? 'without ' : ''}${text}`;
}

async function tryAll(): Promise<number> {
  const tests = await runner();
  try {
    const reached = await tests.reached();
    if (!reached) {
      process.stderr.write(
        'the tests are red with the program as it is, or there are none: mend them first\n',
      );
      return 1;
    }
    const totals = new Map(parts.map((part) => [part, { all: 0, killed: 0 }]));
    for (const [file, { mutants, first, part }] of chosen) {
      let killed = 0;
      for (const [index, mutant] of mutants.entries()) {
        const number = first + index;
        const concerned = reached.filter(
          ({ name, numbers }) =>
            numbers.has(number) && part.tests.some((folder) => name.startsWith(folder)),
        );
        if (concerned.length > 0 && !(await tests.areGreen(number, concerned))) killed += 1;
        else
          process.stdout.write(
            `SURVIVED: ${nameOf(mutant)}${concerned.length === 0 ? ' (no test comes to it)' : ''}\n`,
          );
      }
      if (mutants.length > 0)
        process.stdout.write(`${killed} of ${mutants.length} killed: ${file}\n`);
      const total = totals.get(part);
      if (total) total.all += mutants.length;
      if (total) total.killed += killed;
    }
    return conclude(totals);
  } finally {
    await tests.close();
  }
}

function conclude(
  totals: ReadonlyMap<Part, { readonly all: number; readonly killed: number }>,
): number {
  let code = 0;
  for (const [{ places, least }, { all, killed }] of totals) {
    if (all === 0) continue;
    process.stdout.write(
      `${killed} of ${all} killed, of which at least ${Math.ceil(least * all)} must be: ${places.join(', ')}\n`,
    );
    if (killed < least * all) code = 1;
  }
  return code;
}

async function runner() {
  const folders = parts.flatMap((part) => part.tests);
  const vitest = await createVitest(
    {
      root,
      watch: false,
      config: false,
      include: folders.map((folder) => `${folder}**/*.test.ts`),
      setupFiles: [`${root}scripts/mutation/worker.ts`],
      reporters: [{}],
      provide: { mutant: -1 },
      bail: 1,
      // Four times as fast: the files of a worker share their imports.
      isolate: false,
      // A file that was woven for another run has other numbers.
      fsModuleCache: false,
    },
    {
      plugins: [
        {
          name: 'weave-mutants',
          enforce: 'pre',
          transform(_, id) {
            const weave = weaves.get(id.replace(root, ''));
            return weave && woven(weave.source, weave.mutants, weave.first);
          },
        },
      ],
    },
  );
  const all = await vitest.globTestSpecifications();
  const run = async (mutant: number, specifications: TestSpecification[]): Promise<boolean> => {
    for (const project of vitest.projects) project.provide('mutant', mutant);
    const { unhandledErrors } = await vitest.runTestSpecifications(specifications);
    // The run returns the files of all runs. A file that cannot be loaded with a mutant is red, too.
    return (
      unhandledErrors.length === 0 && specifications.every(({ testModule }) => testModule?.ok())
    );
  };
  return {
    /** The files of tests, and the mutants to which they come; undefined if a test is red without any. */
    async reached() {
      if (all.length === 0 || !(await run(-1, all))) return undefined;
      return all.map((specification) => ({
        specification,
        name: specification.moduleId.replace(root, ''),
        numbers: new Set(specification.testModule?.meta().reached),
      }));
    },
    areGreen: (mutant: number, files: readonly { readonly specification: TestSpecification }[]) =>
      run(
        mutant,
        files.map(({ specification }) => specification),
      ),
    close: () => vitest.close(),
  };
}
