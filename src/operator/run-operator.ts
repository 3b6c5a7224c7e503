import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { type Config, loadConfig, processEnvironment } from '../config/config.ts';
import { settingError, SettingsError, wrongSetting } from '../config/settings-table.ts';
import { logger, perTurn } from '../logging/logging.ts';
import { sendWithinMs } from '../reconcile/ledger/attempt.ts';
import { drainLabel, processAnnotation, ringLabel, shardLabel } from '../resources/shard-labels.ts';
import {
  type Clock,
  type ElectionSettings,
  type Log,
  type ShardSettings,
  sharedRead,
  systemClock,
} from '../runtime/index.ts';
import { apiServerOf } from './kubeconfig.ts';
import { checkOwnKey, ownKey } from './own-key.ts';
import { type Operator, type OperatorSettings, startOperator } from './operator.ts';
import { chance } from './random-text.ts';

export interface OperatorTerminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/** Time for visits in flight at a stop. Events get a little more, 20 s in all. Kubernetes kills the process after 30 s. */
const graceMs = 15_000;
/** Time for recording an answer of the cloud after the lease is lost. */
const lostGraceMs = 20_000;

/**
 * Runs the operator until the signal aborts, or until it loses or gives back its lease.
 * @param clock policy time
 * @returns the exit code: 1 without the lease, 2 for an invalid configuration, with each mistake printed on a line
 */
export async function runOperator(
  argv: readonly string[],
  { stdout, stderr, signal }: OperatorTerminal,
  clock: Clock = systemClock,
): Promise<number> {
  const loaded = loadConfig(argv, processEnvironment());
  if (loaded.state === 'help') {
    stdout.write(loaded.text);
    return 0;
  }
  if (loaded.state === 'wrong') {
    for (const line of loaded.errors) stderr.write(`${line}\n`);
    return 2;
  }
  const { config } = loaded;
  const output = perTurn((text) => void stdout.write(text));
  // An uncaught error ends the process in mid-turn.
  process.once('exit', output.flush);
  const log = logger({ level: config.logLevel, format: config.logFormat, write: output.line });
  let operator: Operator;
  try {
    operator = await start(config, log, clock);
  } catch (error) {
    const line = explained(error, config);
    if (line === undefined) throw error;
    stderr.write(`${line}\n`);
    return 2;
  }
  // After the start: a standby replica sends no calls to the cloud, and the start waits for no call.
  const keyChecked = operator.started.then(() => checkOwnKey(config, log, signal));
  keyChecked.catch(() => undefined); // a failed start is reported below
  const ended = signal.aborted
    ? Promise.resolve()
    : new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  const asked = ended.then(() => undefined);
  await Promise.race([operator.started, asked, operator.lost]);
  const why = await Promise.race([asked, operator.lost]);
  if (why !== undefined) {
    log.error({}, `${why}. The operator sends nothing more and ends: restart it`);
    await operator.stop(lostGraceMs);
    return 1;
  }
  log.info(
    { signal: signal.reason instanceof Error ? signal.reason.message : String(signal.reason) },
    'stopping',
  );
  await operator.stop(graceMs);
  log.info({}, 'stopped');
  return 0;
}

async function start(config: Config, log: Log, clock: Clock): Promise<Operator> {
  const settings = { ...settingsOf(config, await electionOf(config)), proxy: config.proxy };
  return startOperator(settings, {
    apiServer: () => apiServerOf(config),
    // Each visit that needs the key reads it: after a start, the visits of thousands of objects.
    ownKey: sharedRead(() => ownKey(config)),
    log,
    clock,
    ...chance,
  });
}

/** Undefined for an error that is no mistake in the configuration. */
function explained(error: unknown, { healthAddress: { host, port } }: Config): string | undefined {
  if (error instanceof SettingsError) return error.message;
  const isListening =
    error instanceof Error && 'syscall' in error && error.syscall === 'listen' && 'code' in error;
  if (!isListening) return undefined;
  return settingError(
    'health-address',
    `${host}:${port}`,
    `must be free to listen on (${String(error.code)}); choose another`,
  );
}

/** @throws {SettingsError} outside of a Pod without a namespace setting: the replicas need a common namespace for the Lease */
async function electionOf(config: Config): Promise<ElectionSettings | undefined> {
  if (!config.leaderElect) return undefined;
  const namespace = config.leaderElectResourceNamespace ?? (await ownNamespace());
  if (namespace === undefined) {
    const message =
      'must be set, since this is not a Pod; or set --leader-elect=false, where no other process could act';
    throw wrongSetting('leader-elect-resource-namespace', undefined, message);
  }
  return {
    namespace,
    ...candidateOf(config),
    leaseDurationMs: config.leaderElectLeaseDuration,
    renewDeadlineMs: config.leaderElectRenewDeadline,
    retryPeriodMs: config.leaderElectRetryPeriod,
  };
}

/**
 * The Lease, and the identity of this process as its holder. The sharder requires that a shard has the name of its
 * Lease. A restarted process therefore has the name of a process that may live.
 */
function candidateOf({ controllerRing, shardName, leaderElectResourceName }: Config) {
  if (controllerRing === undefined || shardName === undefined)
    return { name: leaderElectResourceName, identity: `${hostname()}_${randomUUID()}` };
  return {
    name: shardName,
    identity: shardName,
    marks: {
      labels: { [ringLabel]: controllerRing },
      annotations: { [processAnnotation]: randomUUID() },
    },
  };
}

/** As with a Lease: a request that is sent at the last moment has five seconds to arrive. */
function shardOf({
  controllerRing: ring,
  shardName: name,
}: Pick<Config, 'controllerRing' | 'shardName'>): ShardSettings | undefined {
  if (ring === undefined || name === undefined) return undefined;
  return {
    name,
    label: shardLabel(ring),
    drainLabel: drainLabel(ring),
    lookMs: sendWithinMs,
    waitMs: sendWithinMs + 5_000,
  };
}

export function settingsOf(
  config: Omit<Config, 'apiKey' | 'proxy'>,
  leaderElection?: ElectionSettings,
): OperatorSettings {
  return {
    cloudUrl: config.cloudUrl,
    namespaces: config.namespaces,
    ledgerNamespace: config.ledgerNamespace,
    operatorCredentialsNamespaces: config.operatorCredentialsNamespaces,
    options: {
      deletionPolicy: config.deletionPolicy,
      managementPolicy: config.managementPolicy,
      sharedProjectAdoption: config.sharedProjectAdoption,
      acceptedClusters: config.acceptObjectsOfCluster,
    },
    database: { user: config.databaseUser, name: config.databaseName },
    workers: config.workers,
    rateLimit: { perSecond: config.rateLimit, burst: config.rateBurst },
    leaderElection,
    shard: shardOf(config),
    health: config.healthAddress,
    usageMetrics: config.usageMetrics,
  };
}

const mounted = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';

export async function ownNamespace(): Promise<string | undefined> {
  const text = await readFile(mounted, 'utf8').catch(() => ''); // not in a Pod
  return text.trim() === '' ? undefined : text.trim();
}
