/** Flags that several commands share. Each command takes a flag of this table, or says why it has no use for it. */

const text = { kind: 'parsed', parse: String, optional: true } as const;

/** Reads `10s`, `2m` or `10`, which are seconds. @throws {Error} for another text, which the command line reports */
function secondsIn(word: string): number {
  const { number, unit } = /^(?<number>\d+)(?<unit>[sm]?)$/u.exec(word)?.groups ?? {};
  if (number === undefined) throw new Error('must be a time such as 10s or 2m');
  return Number(number) * (unit === 'm' ? 60 : 1);
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
/** A person who forgets a wake pays for at most so long. */
const longestWakeMs = 7 * unitMs.d;

/** Reads `90m`, `2h` or `7d` as milliseconds. @throws {Error} for another text, which the command line reports */
export function wakeTimeIn(word: string): number {
  const { number, unit } = /^(?<number>\d{1,5})(?<unit>[mhd])$/u.exec(word)?.groups ?? {};
  const ms = Number(number) * (unit === 'm' || unit === 'h' || unit === 'd' ? unitMs[unit] : 0);
  if (!(ms >= unitMs.m && ms <= longestWakeMs))
    throw new Error('must be a time from 1m to 7d, such as 90m or 2h');
  return ms;
}

/** The shared flags as commands declare them. */
export const sharedFlags = {
  kubeconfig: { ...text, brief: 'File of the kubeconfig', placeholder: 'FILE' },
  context: { ...text, brief: 'Context of the kubeconfig', placeholder: 'NAME' },
  namespace: { ...text, brief: 'Namespace of the objects', placeholder: 'NAME' },
  allNamespaces: {
    kind: 'boolean',
    brief: 'All namespaces',
    default: false,
    withNegated: false,
  },
  cloudUrl: {
    ...text,
    brief: 'URL of the cloud. Default: that of the operator',
    placeholder: 'URL',
  },
  credentials: {
    ...text,
    brief: "Secret with the operator's own API key",
    placeholder: 'NAMESPACE/NAME',
  },
  operator: { ...text, brief: 'Deployment of the operator', placeholder: 'NAMESPACE/NAME' },
  timeout: {
    kind: 'parsed',
    parse: secondsIn,
    brief: 'Time to wait for the operator',
    default: '60s',
    placeholder: '10s',
  },
} as const;

type SharedFlag = keyof typeof sharedFlags;

/** The flags of each command that reads a cluster. */
export const clusterFlags = {
  kubeconfig: sharedFlags.kubeconfig,
  context: sharedFlags.context,
} as const;

/** The flags of each command that reads objects of namespaces. */
export const objectFlags = {
  namespace: sharedFlags.namespace,
  allNamespaces: sharedFlags.allNamespaces,
} as const;

/** The flags of each command that reads the cloud of a cluster's operator. */
export const cloudFlags = {
  cloudUrl: sharedFlags.cloudUrl,
  credentials: sharedFlags.credentials,
  operator: sharedFlags.operator,
} as const;

/** The commands of the program, by their words on the command line. */
export const commandNames = [
  'plan',
  'why',
  'inventory',
  'import',
  'check',
  'approve',
  'sync',
  'suspend',
  'resume',
  'wake',
  'completion',
  'version',
] as const;
type CommandName = (typeof commandNames)[number];

const noWait = {
  timeout: 'only sync, suspend and resume wait for the operator: leave out the flag',
} as const;
const everywhere = (words: string) =>
  ({ kubeconfig: words, context: words, namespace: words, allNamespaces: words }) as const;
const noCloud = (words = 'the command reads the cluster, not the cloud: leave out the flag') =>
  ({ cloudUrl: words, credentials: words, operator: words }) as const;
const ownKey = 'the command takes the key of the variable MANAGED_DB_API_KEY: leave out the flag';
const named = {
  allNamespaces: 'give each object as KIND/NAME, and its namespace with -n',
} as const;
const shell = 'the command takes the name of a shell alone: leave out the flag';
const allOperators = 'the command shows the operators of all namespaces: leave out the flag';

/** Why a command has no use for a shared flag, and the next action. The command takes the other shared flags. */
export const refusals: Readonly<
  Record<CommandName, Readonly<Partial<Record<SharedFlag, string>>>>
> = {
  plan: noWait,
  why: { ...noWait, ...noCloud() },
  inventory: noWait,
  import: {
    ...noWait,
    allNamespaces: 'the manifests are for a single namespace: give -n NAMESPACE',
  },
  check: {
    ...noWait,
    ...everywhere('the command reads the cloud, not a cluster: leave out the flag'),
    credentials: ownKey,
    operator: 'the command reads the cloud at --cloud-url: leave out the flag',
  },
  approve: { ...noWait, ...noCloud() },
  sync: { ...noCloud(), ...named },
  suspend: { ...noCloud(), ...named },
  resume: { ...noCloud(), ...named },
  wake: { ...noWait, ...noCloud(), ...named },
  completion: { timeout: shell, ...everywhere(shell), ...noCloud(shell) },
  version: { ...noWait, ...noCloud(), namespace: allOperators, allNamespaces: allOperators },
};

/** The short forms of flags: each letter means the same flag in each command that has the flag. */
export const aliases = { n: 'namespace', A: 'allNamespaces' } as const;

/**
 * The error about a flag that a command does not have. Pure.
 * @param typed the flag without dashes, as a user wrote it, such as `n` or `cloud-url`
 * @param similar flags that the command has, without dashes
 */
export function noSuchFlag(
  command: string | undefined,
  typed: string,
  similar: readonly string[] = [],
): string {
  const shown = typed.length === 1 ? `-${typed}` : `--${typed}`;
  const camel = typed.replaceAll(/-(?<letter>[a-z])/gu, (_, letter: string) =>
    letter.toUpperCase(),
  );
  const flag = new Map<string, string>(Object.entries(aliases)).get(typed) ?? camel;
  const known = commandNames.find((each) => each === command);
  const why = known && new Map<string, string>(Object.entries(refusals[known])).get(flag);
  if (why !== undefined) return `Error: ${command} has no ${shown}: ${why}`;
  const [first] = similar;
  const next =
    first === undefined
      ? `managed-db ${known === undefined ? '' : `${known} `}--help lists the flags`
      : `did you mean --${first.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}?`;
  return `Error: ${command ?? 'managed-db'} has no ${shown}: ${next}`;
}
