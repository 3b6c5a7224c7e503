import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { checkedPatterns } from '../../scripts/chart/checked-patterns.ts';
import { configValues } from '../../scripts/chart/config-values.ts';
import { loadConfig, type Config } from '../../src/config/config.ts';
import { settingsTable } from '../../src/config/settings-table.ts';

const url = ['--cloud-url', 'https://api.example.com/v1'];

/** Loads a configuration that must be valid. The URL of the cloud comes first, so a test may override it. */
function load(argv: readonly string[] = [], environment: Record<string, string> = {}): Config {
  const loaded = loadConfig([...url, ...argv], environment);
  if (loaded.state !== 'loaded') throw new Error(JSON.stringify(loaded));
  return loaded.config;
}

function errors(
  argv: readonly string[],
  environment: Record<string, string> = {},
): readonly string[] {
  const loaded = loadConfig(argv, environment);
  return loaded.state === 'wrong' ? loaded.errors : [];
}

test('the URL of the cloud is enough; the rest has defaults', () => {
  expect(load()).toEqual({
    cloudUrl: new URL('https://api.example.com/v1'),
    apiKey: undefined,
    operatorCredentialsNamespaces: [],
    ledgerNamespace: 'managed-db-ledger',
    deletionPolicy: 'Delete',
    managementPolicy: 'Manage',
    databaseUser: 'postgres',
    databaseName: 'postgres',
    sharedProjectAdoption: false,
    usageMetrics: false,
    acceptObjectsOfCluster: [],
    workers: 16,
    rateLimit: 10,
    rateBurst: 20,
    leaderElect: true,
    leaderElectLeaseDuration: 15_000,
    leaderElectRenewDeadline: 10_000,
    leaderElectRetryPeriod: 2_000,
    leaderElectResourceName: 'managed-db-operator',
    healthAddress: { host: '', port: 8080 },
    logLevel: 'info',
    logFormat: 'json',
  });
});

test('the loaded configuration is frozen', () => {
  expect(Object.isFrozen(load())).toBe(true);
});

const given: Readonly<Record<string, readonly [text: string, value: unknown]>> = {
  'cloud-url': ['https://cloud.example.com/', new URL('https://cloud.example.com/')],
  'api-key-file': ['/etc/managed-db/apiKey', '/etc/managed-db/apiKey'],
  'operator-credentials-namespaces': ['*', ['*']],
  namespaces: ['shop, blog,,', ['shop', 'blog']],
  'ledger-namespace': ['passwords', 'passwords'],
  'deletion-policy': ['Retain', 'Retain'],
  'management-policy': ['Observe', 'Observe'],
  'database-user': ['app', 'app'],
  'database-name': ['orders', 'orders'],
  'shared-project-adoption': ['true', true],
  'usage-metrics': ['true', true],
  'accept-objects-of-cluster': ['uid-1,uid-2', ['uid-1', 'uid-2']],
  workers: ['4', 4],
  'rate-limit': ['5', 5],
  'rate-burst': ['6', 6],
  'leader-elect': ['false', false],
  'leader-elect-lease-duration': ['1m', 60_000],
  'leader-elect-renew-deadline': ['12.5s', 12_500],
  'leader-elect-retry-period': ['500ms', 500],
  'leader-elect-resource-name': ['shop-operator', 'shop-operator'],
  'leader-elect-resource-namespace': ['databases', 'databases'],
  'controller-ring': ['databases', 'databases'],
  'shard-name': ['operator-0', 'operator-0'],
  'health-address': ['[::1]:9090', { host: '::1', port: 9090 }],
  'log-level': ['debug', 'debug'],
  'log-format': ['pretty', 'pretty'],
  kubeconfig: ['configs/admin.yaml', 'configs/admin.yaml'],
  context: ['kind', 'kind'],
};

/** The flags that each flag requires. */
const withFlag: Readonly<Record<string, readonly string[]>> = {
  'controller-ring': ['--shard-name=operator-0'],
  'shard-name': ['--controller-ring=databases'],
};

test.each(settingsTable)('--$flag and $variable both set $name', ({ flag, variable, name }) => {
  const [text = '', value] = given[flag] ?? [];
  const others = withFlag[flag] ?? [];
  expect(load([...others, `--${flag}`, text])).toHaveProperty(name, value);
  expect(load([...others, `--${flag}=${text}`])).toHaveProperty(name, value);
  expect(
    loadConfig(others, { MANAGED_DB_CLOUD_URL: 'https://api.example.com', [variable]: text }),
  ).toHaveProperty(['config', name], value);
});

test('of two flags of one name the last one counts', () => {
  expect(load(['--workers=2', '--workers=4']).workers).toBe(4);
});

test.each(settingsTable)(
  '--$flag and $variable with different values are refused; with the same value they are not',
  ({ flag, variable }) => {
    const [text = ''] = given[flag] ?? [];
    const address = [...(flag === 'cloud-url' ? [] : url), ...(withFlag[flag] ?? [])];
    const differs = `${text}x`;
    const words = `the flag says "${text}", the variable "${differs}": leave out the variable, and set the flag`;
    expect(errors([...address, `--${flag}=${text}`], { [variable]: differs })).toEqual([
      `--${flag} (${variable}): ${words}`,
    ]);
    expect(errors([...address, `--${flag}=${text}`], { [variable]: text })).toEqual([]);
  },
);

test('of two flags and a variable the last flag must agree', () => {
  const args = [...url, '--management-policy=Manage', '--management-policy=Observe'];
  expect(errors(args, { MANAGED_DB_MANAGEMENT_POLICY: 'Observe' })).toEqual([]);
  expect(errors(args, { MANAGED_DB_MANAGEMENT_POLICY: 'Manage' })).toHaveLength(1);
});

test('a password in one of two different URLs of the cloud is not told', () => {
  const told = errors(url, {
    MANAGED_DB_CLOUD_URL: 'https://admin:s3cret@api.example.com/?key=s3cret',
  });
  expect(told).toEqual([
    expect.stringContaining('the variable "https://***@api.example.com/?***"'),
  ]);
});

test('a key of its own, and a file with one, are refused', () => {
  const message =
    '--api-key-file (MANAGED_DB_API_KEY_FILE): "/key": MANAGED_DB_API_KEY holds a key, too: leave out that variable';
  expect(errors([...url, '--api-key-file=/key'], { MANAGED_DB_API_KEY: 's3cret' })).toEqual([
    message,
  ]);
  expect(errors(url, { MANAGED_DB_API_KEY_FILE: '/key', MANAGED_DB_API_KEY: 's3cret' })).toEqual([
    message,
  ]);
});

test('an empty environment variable counts as unset', () => {
  expect(load([], { MANAGED_DB_WORKERS: '', MANAGED_DB_API_KEY: ' ' })).toMatchObject({
    workers: 16,
    apiKey: undefined,
  });
});

test("the operator's own key comes from the environment, trimmed, and from no flag", () => {
  expect(load([], { MANAGED_DB_API_KEY: ' s3cret\n' }).apiKey).toBe('s3cret');
  expect(errors([...url, '--api-key', 's3cret'])).toEqual([
    "Unknown option '--api-key': see --help",
  ]);
  expect(errors([...url, '--api-key=s3cret'])).toEqual(["Unknown option '--api-key': see --help"]);
});

describe('a wrong setting', () => {
  test('is reported together with all other errors, in a line with place, value and expected value', () => {
    const argv = ['--deletion-policy', 'keep', '--workers=0'];
    const environment = { MANAGED_DB_RATE_LIMIT: '1.5', MANAGED_DB_LOG_FORMAT: 'xml' };
    expect(errors(argv, environment)).toEqual([
      '--cloud-url (MANAGED_DB_CLOUD_URL): must be set, such as https://api.example.com/v1',
      '--deletion-policy (MANAGED_DB_DELETION_POLICY): "keep": must be Delete or Retain',
      '--workers (MANAGED_DB_WORKERS): "0": must be at least 1',
      '--rate-limit (MANAGED_DB_RATE_LIMIT): "1.5": must be a whole number',
      '--log-format (MANAGED_DB_LOG_FORMAT): "xml": must be json or pretty',
    ]);
  });

  test.each([
    [
      '--workers=99999999999',
      '--workers (MANAGED_DB_WORKERS): "99999999999": must be at most 1000000',
    ],
    [
      '--accept-objects-of-cluster=a b',
      '--accept-objects-of-cluster (MANAGED_DB_ACCEPT_OBJECTS_OF_CLUSTER): "a b": must be uids, such as 4f1c2a9e-0d3b-4c5a-9e61-7b0d5f3a2c18',
    ],
    ['--workers=many', '--workers (MANAGED_DB_WORKERS): "many": must be a number'],
    ['--rate-burst=-1', '--rate-burst (MANAGED_DB_RATE_BURST): "-1": must be at least 1'],
    [
      '--shared-project-adoption=yes',
      '--shared-project-adoption (MANAGED_DB_SHARED_PROJECT_ADOPTION): "yes": must be true or false',
    ],
    [
      '--health-address=8080',
      '--health-address (MANAGED_DB_HEALTH_ADDRESS): "8080": must be host:port, such as 127.0.0.1:8080, or :8080 for all addresses, with a port up to 65535',
    ],
    [
      '--health-address=localhost:65536',
      '--health-address (MANAGED_DB_HEALTH_ADDRESS): "localhost:65536": must be host:port, such as 127.0.0.1:8080, or :8080 for all addresses, with a port up to 65535',
    ],
    [
      '--cloud-url=https://10.0.0.300/v1',
      '--cloud-url (MANAGED_DB_CLOUD_URL): "https://10.0.0.300/v1": must be a URL',
    ],
    [
      '--health-address=[::1::]:8080',
      '--health-address (MANAGED_DB_HEALTH_ADDRESS): "[::1::]:8080": must be host:port, such as 127.0.0.1:8080, or :8080 for all addresses, with a port up to 65535',
    ],
    [
      '--log-level=loud',
      '--log-level (MANAGED_DB_LOG_LEVEL): "loud": must be trace, debug, info, warn or error',
    ],
    [
      `--database-user=${'u'.repeat(64)}`,
      `--database-user (MANAGED_DB_DATABASE_USER): "${'u'.repeat(64)}": must have 1 to 63 characters, none of them a control character`,
    ],
    [
      '--namespaces=*',
      '--namespaces (MANAGED_DB_NAMESPACES): "*": must be names of namespaces, such as shop,blog; leave it out for all',
    ],
    [
      '--namespaces=,',
      '--namespaces (MANAGED_DB_NAMESPACES): ",": must be names of namespaces, such as shop,blog; leave it out for all',
    ],
    [
      '--ledger-namespace=Ledger',
      '--ledger-namespace (MANAGED_DB_LEDGER_NAMESPACE): "Ledger": must be the name of a namespace',
    ],
    [
      '--namespaces=shop,managed-db-ledger',
      '--ledger-namespace (MANAGED_DB_LEDGER_NAMESPACE): must not be in --namespaces, since tenants read Secrets there: choose another namespace',
    ],
    [
      '--operator-credentials-namespaces=Shop',
      '--operator-credentials-namespaces (MANAGED_DB_OPERATOR_CREDENTIALS_NAMESPACES): "Shop": must be names of namespaces, such as shop,blog, or * for all',
    ],
    [
      '--leader-elect-retry-period=2',
      '--leader-elect-retry-period (MANAGED_DB_LEADER_ELECT_RETRY_PERIOD): "2": must be a duration, such as 15s or 500ms',
    ],
    [
      '--leader-elect-lease-duration=15500ms',
      '--leader-elect-lease-duration (MANAGED_DB_LEADER_ELECT_LEASE_DURATION): "15500ms": must be whole seconds, such as 15s, since that is how a Lease says it',
    ],
    [
      '--leader-elect-renew-deadline=15s',
      '--leader-elect-renew-deadline (MANAGED_DB_LEADER_ELECT_RENEW_DEADLINE): "15s": must be shorter than --leader-elect-lease-duration (15s)',
    ],
    [
      '--leader-elect-lease-duration=8s',
      '--leader-elect-renew-deadline (MANAGED_DB_LEADER_ELECT_RENEW_DEADLINE): must be shorter than --leader-elect-lease-duration (8s)',
    ],
    [
      '--leader-elect-retry-period=9s',
      '--leader-elect-retry-period (MANAGED_DB_LEADER_ELECT_RETRY_PERIOD): "9s": must fit more than 1.2 times into --leader-elect-renew-deadline (10s)',
    ],
    [
      '--controller-ring=databases',
      '--shard-name (MANAGED_DB_SHARD_NAME): must be set with --controller-ring (databases): a name that no other process has, such as that of the Pod',
    ],
    [
      '--shard-name=operator-0',
      '--controller-ring (MANAGED_DB_CONTROLLER_RING): must be set with --shard-name (operator-0): the name of the ControllerRing',
    ],
    ['--workers=', '--workers (MANAGED_DB_WORKERS): must have a value: --workers N'],
    ['--workers', "Option '--workers <value>' argument missing: see --help"],
    ['--no-workers', "Unknown option '--no-workers': see --help"],
    ['-w', "Unknown option '-w': see --help"],
    ['--something-else=1', "Unknown option '--something-else': see --help"],
    [
      'start',
      "Unexpected argument 'start'. This command does not take positional arguments: see --help",
    ],
  ])('%s: %s', (argument, message) => {
    expect(errors([...url, argument])).toEqual([message]);
  });

  test.each([
    [
      '--leader-elect=false',
      '--leader-elect (MANAGED_DB_LEADER_ELECT): "false": is not for a shard, which always holds a Lease: leave it out, or leave out --controller-ring',
    ],
    [
      `--shard-name=${'n'.repeat(64)}`,
      `--shard-name (MANAGED_DB_SHARD_NAME): "${'n'.repeat(64)}": must have 63 characters at most`,
    ],
    [
      '--shard-name=Operator_0',
      '--shard-name (MANAGED_DB_SHARD_NAME): "Operator_0": must be the name of an object: small letters, digits, dashes and dots',
    ],
  ])('of a shard: %s', (argument, message) => {
    expect(
      errors([...url, '--controller-ring=databases', '--shard-name=operator-0', argument]),
    ).toEqual([message]);
  });

  test('a setting without a value does not take the next setting as its value', () => {
    const told = errors([...url, '--namespaces', '--log-level=debug']);
    expect(told).toEqual([
      expect.stringMatching(/^Option '--namespaces' argument is ambiguous\. .*: see --help$/u),
    ]);
  });
});

describe('the URL of the cloud', () => {
  test.each([
    'https://api.example.com',
    'https://10.0.0.1:8443/base/v1',
    'http://localhost:8080',
    'http://127.0.0.1:1/v1',
    'http://[::1]:1',
  ])('may be %s', (text) => {
    expect(loadConfig(['--cloud-url', text], {})).toHaveProperty(
      ['config', 'cloudUrl'],
      new URL(text),
    );
  });

  test.each([
    'http://api.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'ftp://localhost',
    'api.example.com',
    '/v1',
  ])('must be https except for the local machine, so %s is refused', (text) => {
    expect(errors(['--cloud-url', text])).toEqual([
      `--cloud-url (MANAGED_DB_CLOUD_URL): "${text}": must be an https URL of host and path, such as https://api.example.com/v1 (http only for this machine; no user, query or fragment)`,
    ]);
  });

  test.each([
    ['https://admin:s3cret@api.example.com', 'https://***@api.example.com'],
    ['https://s3cret@api.example.com', 'https://***@api.example.com'],
    ['http://admin:s3cret@api.example.com', 'http://***@api.example.com'],
    // A slash in a password ends the host: the URL is invalid, but the error must still hide the password.
    ['https://admin:s3/cret@api.example.com', 'https://***@api.example.com'],
    ['https://admin:s3@cret@api.example.com', 'https://***@api.example.com'],
    ['https:admin:s3cret@api.example.com', 'https:***@api.example.com'],
    ['admin:s3cret@api.example.com', '***@api.example.com'],
    // A port, and a password behind a slash: as a URL it is whole.
    ['https://admin:33/s3cret@api.example.com', 'https://***@api.example.com'],
    ['https://api.example.com/?key=s3cret', 'https://api.example.com/?***'],
    ['https://api.example.com/#s3cret', 'https://api.example.com/?***'],
  ])('may hold no secret, and an error shows none: %s', (text, shown) => {
    const [message = '', ...more] = errors([], { MANAGED_DB_CLOUD_URL: text });
    expect(more).toEqual([]);
    expect(message).toContain(`--cloud-url (MANAGED_DB_CLOUD_URL): "${shown}": `);
    expect(message).not.toMatch(/s3|cret/u);
  });
});

test.each(['--help', '-h'])(
  '%s names every setting with its meaning, and nothing else matters',
  (flag) => {
    const loaded = loadConfig([flag, '--bogus'], {});
    const text = loaded.state === 'help' ? loaded.text : '';
    const words = settingsTable.flatMap((setting) => [
      `--${setting.flag} ${setting.value}`,
      setting.meaning,
    ]);
    expect([...words, 'MANAGED_DB_API_KEY'].filter((each) => !text.includes(each))).toEqual([]);
  },
);

test.each<[string, Record<string, string>, object | string | undefined]>([
  ['none', {}, undefined],
  ['an empty one', { HTTPS_PROXY: '' }, undefined],
  ['that of other protocols', { HTTP_PROXY: 'http://proxy.test:3128' }, undefined],
  [
    'a URL',
    { HTTPS_PROXY: 'http://proxy.test:3128', NO_PROXY: 'a.test' },
    { url: 'http://proxy.test:3128/', noProxy: 'a.test' },
  ],
  [
    'one in lower case, which wins',
    { https_proxy: 'https://b.test', HTTPS_PROXY: 'http://a.test' },
    { url: 'https://b.test/', noProxy: '' },
  ],
  [
    'one without a scheme',
    { HTTPS_PROXY: 'proxy.test:3128' },
    { url: 'http://proxy.test:3128/', noProxy: '' },
  ],
  [
    'nonsense',
    { HTTPS_PROXY: 'ftp://me:s3cret@proxy.test' },
    'HTTPS_PROXY: must be the URL of a proxy, such as http://proxy.example.com:3128',
  ],
])('the proxy of the environment: %s', (_, environment, expected) => {
  const loaded = loadConfig(['--cloud-url', 'https://api.example.com'], environment);
  expect(
    loaded.state === 'loaded'
      ? loaded.config.proxy
      : loaded.state === 'wrong'
        ? loaded.errors.join()
        : '',
  ).toEqual(expected);
});

describe('the operator accepts each value that the chart accepts:', () => {
  const texts = z
    .object({
      properties: z.record(
        z.string(),
        z.looseObject({ pattern: z.string().optional(), maxLength: z.number().optional() }),
      ),
    })
    .parse(z.toJSONSchema(configValues, { io: 'input' })).properties;
  const checked: Readonly<Record<string, string>> = checkedPatterns;
  const patternOf = (name: string) => texts[name]?.pattern ?? checked[name];
  // Of the times of an election the three count together.
  const alone = settingsTable.filter(
    ({ name, value }) => value !== 'TIME' && patternOf(name) !== undefined,
  );

  test.each(alone)('--$flag', ({ flag, name }) => {
    const maxLength = texts[name]?.maxLength;
    // The chart gives both.
    const besides = name === 'controllerRing' ? ['--shard-name=operator-7d9f-x2x4z'] : [];
    // All of Unicode takes fast-check seconds.
    const plain = (patternOf(name) ?? '').replaceAll('\\P{Cc}', '[ -~]');
    fc.assert(
      fc.property(
        fc.stringMatching(new RegExp(plain, 'u'), { maxLength: Math.min(maxLength ?? 60, 60) }),
        (text) => {
          // The pattern of hosts is loose: only the operator parses a URL.
          fc.pre(text !== '' && (name !== 'cloudUrl' || URL.canParse(text)));
          expect(loadConfig([...url, ...besides, `--${flag}=${text}`], {})).toMatchObject({
            state: 'loaded',
          });
        },
      ),
      { numRuns: 60 },
    );
  });

  test('the settings with a pattern are not empty', () => {
    expect(alone.map(({ name }) => name)).toEqual([
      'cloudUrl',
      'ledgerNamespace',
      'databaseUser',
      'databaseName',
      'controllerRing',
      'healthAddress',
    ]);
  });
});
