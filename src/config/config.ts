import { parseArgs } from 'node:util';
import * as z from 'zod';
import {
  address,
  cloudUrl,
  durationMs,
  flag,
  leaseDurationMs,
  namespaceName,
  namespaces,
  namespacesOrAll,
  objectName,
  positive,
  shortName,
  uids,
  word,
} from './setting-shapes.ts';
import { type Setting, settingError, settingsTable } from './settings-table.ts';

const eachSetting = z.object({
  cloudUrl,
  apiKeyFile: z.string().optional(),
  operatorCredentialsNamespaces: namespacesOrAll.default([]),
  namespaces: namespaces.optional(),
  ledgerNamespace: z
    .string()
    .regex(namespaceName, 'must be the name of a namespace')
    .default('managed-db-ledger'),
  deletionPolicy: z.enum(['Delete', 'Retain'], 'must be Delete or Retain').default('Delete'),
  managementPolicy: z.enum(['Manage', 'Observe'], 'must be Manage or Observe').default('Manage'),
  databaseUser: word.default('postgres'),
  databaseName: word.default('postgres'),
  sharedProjectAdoption: flag.default(false),
  acceptObjectsOfCluster: uids.default([]),
  workers: positive.default(16),
  rateLimit: positive.default(10),
  rateBurst: positive.default(20),
  leaderElect: flag.default(true),
  leaderElectLeaseDuration: leaseDurationMs.prefault('15s'),
  leaderElectRenewDeadline: durationMs.prefault('10s'),
  leaderElectRetryPeriod: durationMs.refine((ms) => ms > 0, 'must be more than 0').prefault('2s'),
  leaderElectResourceName: objectName.default('managed-db-operator'),
  leaderElectResourceNamespace: z
    .string()
    .regex(namespaceName, 'must be the name of a namespace')
    .optional(),
  controllerRing: shortName.optional(),
  shardName: shortName.optional(),
  healthAddress: address.prefault(':8080'),
  usageMetrics: flag.default(false),
  logLevel: z
    .enum(['trace', 'debug', 'info', 'warn', 'error'], 'must be trace, debug, info, warn or error')
    .default('info'),
  logFormat: z.enum(['json', 'pretty'], 'must be json or pretty').default('json'),
  kubeconfig: z.string().optional(),
  context: z.string().optional(),
});

/** All settings by name, each as text. This schema generates flags, variables and the values of the Helm chart. */
export const settingsSchema = eachSetting.superRefine(fitTogether);

/**
 * The whole configuration, frozen. `apiKey` is the operator's own key from the environment. It has no flag, since
 * process lists show flags.
 */
export type Config = Readonly<z.infer<typeof settingsSchema>> & {
  readonly apiKey: string | undefined;
  /** From the proxy variables of the environment. Used for the cloud, never for Kubernetes. */
  readonly proxy: EgressProxySetting | undefined;
};

export type LoadedConfig =
  | { readonly state: 'loaded'; readonly config: Config }
  | { readonly state: 'help'; readonly text: string }
  /** A line for each mistake: the setting, its value, and the expected value. An unknown flag is the only line. */
  | { readonly state: 'wrong'; readonly errors: readonly string[] };

/** Reads the configuration from flags and MANAGED_DB_* variables. Refuses a variable that contradicts its flag. Pure. */
export function loadConfig(
  argv: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): LoadedConfig {
  if (argv.includes('--help') || argv.includes('-h')) return { state: 'help', text: helpText() };
  const flags = readFlags(argv);
  if ('error' in flags) return { state: 'wrong', errors: [flags.error] };
  const given: Record<string, string> = {};
  for (const { name, flag: flagName, variable } of settingsTable) {
    const value = flags.values[flagName] ?? (environment[variable] || undefined);
    if (value !== undefined) given[name] = value;
  }
  const parsed = settingsSchema.safeParse(given);
  const wrong = parsed.success ? [] : parsed.error.issues.map((issue) => errorLine(issue, given));
  const egress = egressProxy(environment);
  const apiKey = environment['MANAGED_DB_API_KEY']?.trim() || undefined;
  const errors = [
    ...contradictions(flags.values, environment),
    ...keyTwice(given, apiKey),
    ...wrong,
    ...(egress.error === undefined ? [] : [egress.error]),
  ];
  if (!parsed.success || egress.error !== undefined || errors.length > 0)
    return { state: 'wrong', errors };
  const config = { ...parsed.data, apiKey, proxy: egress.proxy };
  return { state: 'loaded', config: Object.freeze(config) };
}

/** No other code reads the environment. */
export function processEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}

type Flags = Readonly<Record<string, string | undefined>>;

function readFlags(
  argv: readonly string[],
): { readonly values: Flags } | { readonly error: string } {
  const options = Object.fromEntries(
    settingsTable.map(({ flag: name }) => [name, { type: 'string' as const }]),
  );
  let values: Flags;
  try {
    ({ values } = parseArgs({ args: [...argv], options }));
  } catch (error) {
    return {
      error: `${error instanceof Error ? error.message.replaceAll('\n', ' ') : String(error)}: see --help`,
    };
  }
  const empty = settingsTable.find(({ flag: name }) => values[name] === '');
  if (empty)
    return {
      error: settingError(
        empty.flag,
        undefined,
        `must have a value: --${empty.flag} ${empty.value}`,
      ),
    };
  return { values };
}

/** Deployments set flags. Without these errors, an added variable (such as a switch for a drill) would be ignored in silence. */
function contradictions(flags: Flags, environment: Readonly<Record<string, string | undefined>>) {
  return settingsTable.flatMap(({ flag: name, variable }) => {
    const [byFlag, byVariable] = [flags[name], environment[variable] || undefined];
    if (byFlag === undefined || byVariable === undefined || byFlag === byVariable) return [];
    const [one, other] = [byFlag, byVariable].map(withoutSecrets);
    return settingError(
      name,
      undefined,
      `the flag says "${one}", the variable "${other}": leave out the variable, and set the flag`,
    );
  });
}

function keyTwice(
  { apiKeyFile }: Readonly<Record<string, string>>,
  apiKey: string | undefined,
): readonly string[] {
  if (apiKeyFile === undefined || apiKey === undefined) return [];
  return [
    settingError(
      'api-key-file',
      apiKeyFile,
      'MANAGED_DB_API_KEY holds a key, too: leave out that variable',
    ),
  ];
}

function errorLine(issue: z.core.$ZodIssue, given: Readonly<Record<string, string>>): string {
  const name = String(issue.path[0]);
  const value = given[name];
  const flagName = settingsTable.find((known) => known.name === name)?.flag ?? name;
  return settingError(
    flagName,
    value === undefined ? undefined : withoutSecrets(value),
    issue.message,
  );
}

/** Removes secrets from a URL in an error, however broken the URL is: everything before the last @, and the query. */
function withoutSecrets(text: string): string {
  return text.replace(/^(https?:\/*)?.*@/isu, '$1***@').replace(/[?#].*$/su, '?***');
}

function fitTogether(settings: z.infer<typeof eachSetting>, context: z.RefinementCtx): void {
  const wrong = (name: keyof typeof settings, message: string) =>
    context.addIssue({ code: 'custom', path: [name], message, input: '' });
  // The rules of client-go.
  const {
    leaderElectLeaseDuration: duration,
    leaderElectRenewDeadline: deadline,
    leaderElectRetryPeriod: retry,
  } = settings;
  if (deadline >= duration)
    wrong(
      'leaderElectRenewDeadline',
      `must be shorter than --leader-elect-lease-duration (${duration / 1_000}s)`,
    );
  if (retry * 1.2 >= deadline)
    wrong(
      'leaderElectRetryPeriod',
      `must fit more than 1.2 times into --leader-elect-renew-deadline (${deadline / 1_000}s)`,
    );
  const { controllerRing: ring, shardName: shard } = settings;
  if (ring === undefined && shard !== undefined)
    wrong(
      'controllerRing',
      `must be set with --shard-name (${shard}): the name of the ControllerRing`,
    );
  if (ring !== undefined && shard === undefined)
    wrong(
      'shardName',
      `must be set with --controller-ring (${ring}): a name that no other process has, such as that of the Pod`,
    );
  if (ring !== undefined && !settings.leaderElect)
    wrong(
      'leaderElect',
      'is not for a shard, which always holds a Lease: leave it out, or leave out --controller-ring',
    );
  if (settings.namespaces?.includes(settings.ledgerNamespace))
    wrong(
      'ledgerNamespace',
      'must not be in --namespaces, since tenants read Secrets there: choose another namespace',
    );
}

function left(setting: Setting): string {
  return `  --${setting.flag} ${setting.value}`;
}

function helpText(): string {
  const width = Math.max(...settingsTable.map((setting) => left(setting).length)) + 2;
  const lines = settingsTable.map((setting) => `${left(setting).padEnd(width)}${setting.meaning}`);
  return [
    'managed-db-operator: VPCs, services and replica sets of the managed database cloud as Kubernetes resources.',
    '',
    'Settings, each also as a variable (--cloud-url is MANAGED_DB_CLOUD_URL); the two must not differ:',
    ...lines,
    '',
    "The operator's own API key: --api-key-file, or the variable MANAGED_DB_API_KEY.",
    'Calls to the cloud honour HTTPS_PROXY and NO_PROXY; calls to Kubernetes use no proxy.',
    '',
    'Other commands: demo (see everything at work), simulator (the cloud, in memory); each has --help. --version prints the version.',
    '',
  ].join('\n');
}

export interface EgressProxySetting {
  readonly url: string;
  readonly noProxy: string;
}

const protocols = ['http:', 'https:', 'socks5:'];

/**
 * Reads the proxy from the environment as curl and Go do: `HTTPS_PROXY` and `NO_PROXY`, or in lower case. `HTTP_PROXY`
 * is ignored, since the cloud uses https. A URL without a scheme means http. Pure.
 * @returns an error without the value: a proxy's URL may hold a password
 */
export function egressProxy(
  environment: Readonly<Record<string, string | undefined>>,
):
  | { readonly proxy: EgressProxySetting | undefined; readonly error?: undefined }
  | { readonly error: string } {
  const given = [environment['https_proxy'], environment['HTTPS_PROXY']].find(
    (text) => text !== undefined && text !== '',
  );
  if (given === undefined) return { proxy: undefined };
  const text = given.includes('://') ? given : `http://${given}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !protocols.includes(url.protocol) || url.hostname === '')
    return {
      error: 'HTTPS_PROXY: must be the URL of a proxy, such as http://proxy.example.com:3128',
    };
  return {
    proxy: { url: url.href, noProxy: environment['no_proxy'] || environment['NO_PROXY'] || '' },
  };
}
