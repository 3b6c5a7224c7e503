import { randomBytes, randomInt } from 'node:crypto';
import { loadConfig, processEnvironment, type Config } from '../config/config.ts';
import { KubeconfigError, loadKubeconfig } from './kubeconfig.ts';
import { logger } from '../logging/logging.ts';
import { startOperator, type Operator, type OperatorSettings } from './operator.ts';
import { checkOwnKey, ownKey } from './own-key.ts';
import { newId, newPassword } from './random-text.ts';
import type { Log } from '../reconcile/log.ts';
import { settingError } from '../config/settings-table.ts';

export interface OperatorTerminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  /** Asks the operator to end. */
  readonly signal: AbortSignal;
}

/** How long work in flight may take to end, and then a little more for events: less than 20 s in all. Kubernetes kills after 30 s. */
const graceMs = 15_000;

/** Runs the operator until the signal. @returns the exit code: 2 for a configuration that cannot work, each mistake on a line of its own */
export async function runOperator(argv: readonly string[], { stdout, stderr, signal }: OperatorTerminal): Promise<number> {
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
  const log = logger({ level: config.logLevel, format: config.logFormat, write: (line) => void stdout.write(line) });
  let operator: Operator;
  try {
    operator = await start(config, log, signal);
  } catch (error) {
    const line = explained(error, config);
    if (line === undefined) throw error;
    stderr.write(`${line}\n`);
    return 2;
  }
  const ended = signal.aborted ? Promise.resolve() : new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  await Promise.race([operator.started, ended]);
  await ended;
  log.info({ signal: signal.reason instanceof Error ? signal.reason.message : String(signal.reason) }, 'stopping');
  await operator.stop(graceMs);
  log.info({}, 'stopped');
  return 0;
}

function start(config: Config, log: Log, signal: AbortSignal): Promise<Operator> {
  void checkOwnKey(config, log, signal); // a start does not wait for the cloud
  return startOperator(settingsOf(config), {
    loadKubeConfig: () => loadKubeconfig(config),
    ownKey: () => ownKey(config),
    log,
    random: () => randomInt(2 ** 47) / 2 ** 47,
    newId: () => newId(randomBytes),
    newPassword: () => newPassword(randomBytes),
  });
}

/** The line that tells what to do; undefined for what is not a matter of configuration. */
function explained(error: unknown, { healthAddress: { host, port } }: Config): string | undefined {
  if (error instanceof KubeconfigError) return error.message;
  const isListening = error instanceof Error && 'syscall' in error && error.syscall === 'listen' && 'code' in error;
  if (!isListening) return undefined;
  return settingError('health-address', `${host}:${port}`, `must be free to listen on (${String(error.code)}); choose another`);
}

function settingsOf(config: Config): OperatorSettings {
  return {
    cloudUrl: config.cloudUrl,
    namespaces: config.namespaces,
    operatorCredentialsNamespaces: config.operatorCredentialsNamespaces,
    policy: {
      deletionPolicy: config.deletionPolicy,
      managementPolicy: config.managementPolicy,
      sharedProjectAdoption: config.sharedProjectAdoption,
      acceptedClusters: config.acceptObjectsOfCluster,
      seesAllObjects: config.namespaces === undefined,
      soleCreator: config.soleCreator,
    },
    database: { user: config.databaseUser, name: config.databaseName },
    workers: config.workers,
    rateLimit: { perSecond: config.rateLimit, burst: config.rateBurst },
    health: config.healthAddress,
  };
}
