import { randomBytes, randomInt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { KubeConfig } from '@kubernetes/client-node/dist/config.js';
import { loadConfig, processEnvironment, type Config } from './config.ts';
import { logger } from './logging.ts';
import { startOperator, type OperatorSettings } from './operator.ts';
import { newId, newPassword } from './random-text.ts';

/** How long work in flight may take to end; Kubernetes kills after 30 s. */
const graceMs = 15_000;

const [command, ...rest] = process.argv.slice(2);
const ending = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => ending.abort(new Error(signal)));

if (command === 'simulator') {
  const { runSimulator } = await import('./simulator/cli.ts');
  process.exitCode = await runSimulator(rest, { stdout: process.stdout, stderr: process.stderr, signal: ending.signal });
} else if (command === 'demo') {
  const { runDemo } = await import('./demo/demo.ts');
  process.exitCode = await runDemo(rest, { stdout: process.stdout, stderr: process.stderr, signal: ending.signal });
} else {
  process.exitCode = await runOperator(process.argv.slice(2));
}

async function runOperator(argv: readonly string[]): Promise<number> {
  const loaded = loadConfig(argv, processEnvironment());
  if (loaded.state === 'help') {
    process.stdout.write(loaded.text);
    return 0;
  }
  if (loaded.state === 'wrong') {
    for (const line of loaded.errors) process.stderr.write(`${line}\n`);
    return 2;
  }
  const { config } = loaded;
  const log = logger({ level: config.logLevel, format: config.logFormat, write: (line) => void process.stdout.write(line) });
  const operator = await startOperator(settingsOf(config), {
    loadKubeConfig: () => kubeConfig(config),
    ownKey: () => ownKey(config),
    log,
    random: () => randomInt(2 ** 47) / 2 ** 47,
    newId: () => newId(randomBytes),
    newPassword: () => newPassword(randomBytes),
  });
  await Promise.race([operator.started, new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }))]);
  if (!ending.signal.aborted) await new Promise((resolve) => ending.signal.addEventListener('abort', resolve, { once: true }));
  log.info({ signal: String(ending.signal.reason) }, 'stopping');
  await operator.stop(graceMs);
  log.info({}, 'stopped');
  return 0;
}

function settingsOf(config: Config): OperatorSettings {
  return {
    cloudUrl: config.cloudUrl,
    namespaces: config.namespaces,
    operatorCredentialsNamespaces: config.operatorCredentialsNamespaces,
    policy: {
      deletionPolicy: config.deletionPolicy,
      sharedProjectAdoption: config.sharedProjectAdoption,
      acceptedClusters: config.acceptObjectsOfCluster,
    },
    database: { user: config.databaseUser, name: config.databaseName },
    workers: config.workers,
    rateLimit: { perSecond: config.rateLimit, burst: config.rateBurst },
    health: config.healthAddress,
  };
}

function kubeConfig({ kubeconfig, context }: Config): KubeConfig {
  const loaded = new KubeConfig();
  if (kubeconfig === undefined) loaded.loadFromDefault();
  else loaded.loadFromFile(kubeconfig);
  if (context !== undefined) loaded.setCurrentContext(context);
  return loaded;
}

/** A mounted Secret changes under a running process, so the file is read each time. */
async function ownKey({ apiKeyFile, apiKey }: Config): Promise<string | undefined> {
  if (apiKeyFile === undefined) return apiKey;
  const text = await readFile(apiKeyFile, 'utf8').catch(() => '');
  return text.trim() === '' ? undefined : text.trim();
}
