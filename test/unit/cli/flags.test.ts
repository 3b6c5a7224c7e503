import { expect, test } from 'vitest';
import { runCommand } from '../../../src/cli/application.ts';
import { commandNames, noSuchFlag, refusals, wakeTimeIn } from '../../../src/cli/flags.ts';

/** Without a cluster: a command that takes its flags goes on to the kubeconfig, which does not exist. */
async function errorOf(...args: readonly string[]): Promise<string> {
  let said = '';
  const stream = { write: (text: string) => void (said += text) };
  const code = await runCommand(args, {
    stdout: stream,
    stderr: stream,
    signal: new AbortController().signal,
  });
  expect([0, 1]).toContain(code);
  return said;
}

const noWait = 'only sync, suspend and resume wait for the operator: leave out the flag';
const noCloud = 'the command reads the cluster, not the cloud: leave out the flag';
const noCluster = 'the command reads the cloud, not a cluster: leave out the flag';
const named = 'give each object as KIND/NAME, and its namespace with -n';
const allOperators = 'the command shows the operators of all namespaces: leave out the flag';
const shell = 'the command takes the name of a shell alone: leave out the flag';
const oneNamespace = 'the manifests are for a single namespace: give -n NAMESPACE';

const flags = [['--timeout', '10s'], ['-n', 'shop'], ['-A'], ['--cloud-url', 'http://x']] as const;

/** By command: for each of the four flags, the refusal; undefined for a flag that the command takes. */
const table: Readonly<Record<(typeof commandNames)[number], readonly (string | undefined)[]>> = {
  plan: [noWait, undefined, undefined, undefined],
  why: [noWait, undefined, undefined, noCloud],
  inventory: [noWait, undefined, undefined, undefined],
  import: [noWait, undefined, oneNamespace, undefined],
  check: [noWait, noCluster, noCluster, undefined],
  approve: [noWait, undefined, undefined, noCloud],
  sync: [undefined, undefined, named, noCloud],
  suspend: [undefined, undefined, named, noCloud],
  resume: [undefined, undefined, named, noCloud],
  wake: [noWait, undefined, named, noCloud],
  completion: [shell, shell, shell, shell],
  version: [noWait, allOperators, allOperators, noCloud],
};

const cells = commandNames.flatMap((command) =>
  flags.map(([flag, ...value], place) => ({ command, flag, value, why: table[command][place] })),
);

// A word of a kind that does not exist ends each command before it reads a cluster or a cloud.
const saidBy = async (command: string, ...given: readonly string[]) =>
  errorOf(command, ...given, ...(command === 'import' ? ['--output-dir', '/'] : ['nokind/orders']));

test.for(cells.filter(({ why }) => why !== undefined))(
  '$command says why it has no use for $flag, and the next action',
  { timeout: 60_000 },
  async ({ command, flag, value, why }) => {
    expect(await saidBy(command, flag, ...value)).toBe(
      `Error: ${command} has no ${flag}: ${why}\n`,
    );
  },
);

test.for(cells.filter(({ why }) => why === undefined))(
  '$command takes $flag',
  // The first use of a command loads its modules.
  { timeout: 60_000 },
  async ({ command, flag, value }) => {
    expect(await saidBy(command, flag, ...value)).not.toMatch(/has no -|^$/u);
  },
);

test('each refusal of a flag is short', () => {
  for (const command of commandNames)
    for (const flag of Object.keys(refusals[command]))
      expect(noSuchFlag(command, flag).length).toBeLessThanOrEqual(200);
});

test.for([
  [['why', '--cloud-ulr', 'x'], 'why has no --cloud-ulr: managed-db why --help lists the flags'],
  [['plan', '--cloud-ulr', 'x'], 'plan has no --cloud-ulr: did you mean --cloud-url?'],
  [['check', '--kubeconfig=x'], `check has no --kubeconfig: ${noCluster}`],
  [['why', '-f', 'x'], 'why has no -f: managed-db why --help lists the flags'],
] as const)('%s names the flag that does not exist', async ([args, line]) => {
  expect(await errorOf(...args)).toBe(`Error: ${line}\n`);
});

test.each([
  ['1m', 60_000],
  ['90m', 5_400_000],
  ['2h', 7_200_000],
  ['7d', 604_800_000],
])('a wake of %s lasts %i milliseconds', (word, ms) => {
  expect(wakeTimeIn(word)).toBe(ms);
});

test.each(['0m', '8d', '169h', '2', '2s', '-2h', '1.5h', '2h30m', '', 'h', '99999d'])(
  'a wake of "%s" is refused with the limits',
  (word) => {
    expect(() => wakeTimeIn(word)).toThrow('must be a time from 1m to 7d, such as 90m or 2h');
  },
);
