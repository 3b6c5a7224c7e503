import { defineConfig } from 'oxlint';

// Which part of the tree may import which. A part that a line does not name may import it.

/** Folders of src/, and who may not import them. */
const parts = [
  'main.ts',
  'config',
  'operator',
  'runtime',
  'resources',
  'cloud',
  'reconcile',
  'simulator',
  'demo',
  'cli',
] as const;
type Part = (typeof parts)[number];

/** The rooms of src/reconcile, from the top down: a room imports only rooms that stand below it. */
const rooms = [
  'act',
  'report',
  'kinds',
  'observe',
  'decide',
  'connection',
  'wiring',
  'situation',
  'credentials',
  'ledger',
  'step',
] as const;

interface Pattern {
  readonly group: string[];
  readonly message: string;
}

const folder = (name: string) => (name.endsWith('.ts') ? `**/${name}` : `**/${name}/**`);
const without = (unwanted: readonly (Part | `${Part}/${string}`)[], message: string): Pattern => ({
  group: unwanted.map(folder),
  message,
});
const only = (...wanted: readonly Part[]) => parts.filter((part) => !wanted.includes(part));

const face: Pattern = {
  group: ['**/runtime/*.ts', '!**/runtime/index.ts', '!**/runtime/kubeconfig.ts'],
  message:
    'the runtime has one face: import runtime/index.ts (and runtime/kubeconfig.ts, at the edge)',
};
const client: Pattern = {
  group: ['@kubernetes/client-node', '@kubernetes/client-node/**'],
  message: 'client-node stays behind runtime/kubeconfig.ts',
};

const border = (files: string[], ...patterns: readonly Pattern[]) => ({
  files,
  rules: {
    'no-restricted-imports': [
      'error',
      { patterns, paths: patterns.includes(pure) ? purePaths : [] },
    ] as ['error', { patterns: readonly Pattern[]; paths: typeof purePaths }],
  },
});

const runtime = without(only('runtime'), 'runtime imports nothing of ours');
const reconcile = [
  without(
    [...only('reconcile', 'runtime', 'resources', 'cloud'), 'runtime/kubeconfig.ts'],
    'reconcile imports only runtime, resources and cloud',
  ),
  face,
  client,
];

/**
 * Rules, derivations and conclusions are pure: they decide on facts, without a client, a list or a clock. Of cloud/
 * and wiring/ they see only errors, values and types.
 */
const pureMessage = 'this file is pure: it may not see a client, a list or a clock';
const pure: Pattern = {
  group: [
    '**/cloud/*.ts',
    '!**/cloud/{cloud-api,cloud-error,fields,redaction}.ts',
    '**/wiring/*.ts',
    '!**/wiring/memory.ts',
    '**/credentials/accounts.ts',
    '**/observe/sources.ts',
    '**/observe/observe-*.ts',
  ],
  message: pureMessage,
};
/** The face of the runtime has pure names, too. */
const purePaths = ['../..', '../../..', '../../../..'].map((up) => ({
  name: `${up}/runtime/index.ts`,
  importNames: ['KubernetesClient', 'ObjectCache', 'EventRecorder', 'Clock', 'systemClock'],
  message: pureMessage,
}));
const pureRooms: ReadonlySet<string> = new Set(['decide', 'situation', 'step']);
const pureFiles = [
  ['kinds', 'src/reconcile/kinds/*/{rules/**,situation.ts,situation-of.ts,fields.ts,*-plan.ts}'],
  ['report', 'src/reconcile/report/{conclude,visit,status,events,patience}.ts'],
] as const;
const room = (name: (typeof rooms)[number]): Pattern => {
  const floor = rooms.indexOf(name);
  return {
    group: rooms.slice(0, floor).map(folder).concat('**/reconcile.ts'),
    message: `${name}/ imports only rooms below it: ${rooms.slice(floor + 1).join(', ')}`,
  };
};

export default defineConfig({
  plugins: ['typescript', 'import', 'unicorn', 'oxc', 'node', 'vitest', 'promise'],
  options: { typeAware: true, denyWarnings: true },
  categories: { correctness: 'error', suspicious: 'error' },
  ignorePatterns: ['dist/**', 'node_modules/**'],
  rules: {
    'typescript/no-floating-promises': 'error',
    'typescript/no-misused-promises': 'error',
    'typescript/await-thenable': 'error',
    'typescript/no-unsafe-assignment': 'error',
    'typescript/no-unsafe-argument': 'error',
    'typescript/no-unsafe-call': 'error',
    'typescript/no-unsafe-member-access': 'error',
    'typescript/no-unsafe-return': 'error',
    'typescript/no-explicit-any': 'error',
    'typescript/no-non-null-assertion': 'error',
    'typescript/switch-exhaustiveness-check': [
      'error',
      {
        considerDefaultExhaustiveForUnions: false,
      },
    ],
    'typescript/consistent-type-imports': 'error',
    'typescript/only-throw-error': 'error',
    'typescript/return-await': 'error',
    'node/no-process-env': 'error',
    'import/no-cycle': 'error',
    'typescript/consistent-return': 'off',
    'no-underscore-dangle': [
      'error',
      {
        allow: ['_zod'],
      },
    ],
  },
  overrides: [
    {
      files: ['src/**'],
      rules: {
        'max-lines': ['error', { max: 450 }],
        'max-lines-per-function': ['error', { max: 100 }],
        'max-params': ['error', { max: 4 }],
      },
    },
    {
      files: ['src/config/config.ts', 'test/**', 'scripts/**', '*.config.ts'],
      rules: { 'node/no-process-env': 'off' },
    },
    border(['src/main.ts', 'scripts/**'], face, client),
    border(['src/runtime/**'], runtime, client),
    border(['src/runtime/kubeconfig.ts'], runtime),
    border(
      ['src/resources/**'],
      without(only('resources'), 'resources imports nothing of ours'),
      client,
    ),
    border(['src/cloud/**'], without(only('cloud'), 'cloud imports nothing of ours'), client),
    border(
      ['src/simulator/**'],
      without(only('cloud', 'simulator'), 'simulator imports only cloud/wire'),
      { group: ['**/cloud/*.ts'], message: 'simulator imports only cloud/wire' },
      client,
    ),
    border(['src/reconcile/**'], ...reconcile),
    ...rooms.map((name) =>
      border(
        [`src/reconcile/${name}/**`],
        ...reconcile,
        room(name),
        ...(pureRooms.has(name) ? [pure] : []),
      ),
    ),
    ...pureFiles.map(([name, files]) => border([files], ...reconcile, room(name), pure)),
    border(
      ['src/demo/**'],
      without(['main.ts', 'cli'], 'nothing imports main.ts, and the demo no command'),
      face,
      client,
    ),
    border(
      ['src/cli/**'],
      without(['main.ts', 'demo'], 'the command line imports neither main.ts nor the demo'),
      face,
      client,
    ),
    border(
      ['src/operator/**'],
      without(
        ['main.ts', 'simulator', 'demo', 'cli'],
        'the operator needs neither simulator nor demo nor command line',
      ),
      face,
      client,
    ),
    border(
      ['src/config/**', 'src/logging/**'],
      without(
        ['main.ts', 'operator', 'cloud', 'reconcile', 'simulator', 'demo', 'cli'],
        'config and logging import no behaviour',
      ),
      face,
      client,
    ),
    border(
      ['test/**'],
      without(['main.ts'], 'nothing imports main.ts: start it as a process, or import operator.ts'),
      face,
      client,
    ),
    {
      files: ['test/unit/runtime/**', 'test/integration/runtime/**'],
      rules: { 'no-restricted-imports': 'off' },
    },
  ],
});
