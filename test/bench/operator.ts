import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse, stringify } from 'yaml';
import * as z from 'zod';
import { freePort } from '../control-plane/free-port.ts';
import { kubeconfigFor, kubeconfigText } from '../control-plane/kubeconfig.ts';
import type { Image } from '../support/image.ts';
import type { Cloud } from './cloud.ts';
import type { Cluster } from './cluster.ts';
import { samplesOf } from './counts.ts';
import { cpuSeconds, memory, type ProcessMemory } from './proc.ts';

/** The bundle of the image in a process of its own, with V8's limits as in its container. */
export interface MeasuredOperator extends AsyncDisposable {
  readonly pid: number;
  /** When it was started, by the steady clock. */
  readonly startedAtMs: number;
  /** How many milliseconds after its start it worked. */
  untilWorking(): Promise<number>;
  untilSaid(words: string): Promise<void>;
  cpuSeconds(): Promise<number>;
  memory(): Promise<ProcessMemory>;
  /** How late the event loop was since the last look, at most, but for 1 % of the times; milliseconds. */
  eventLoopDelayMs(): Promise<number>;
  /** The sum of a metric of its own. */
  metric(
    name: string,
    isCounted?: (labels: Readonly<Record<string, string>>) => boolean,
  ): Promise<number>;
  kill(signal: NodeJS.Signals): void;
  readonly ended: Promise<unknown>;
  /** Rejects when it ends by itself, as without memory. */
  readonly lost: Promise<never>;
  /** Where its inspector listens; it is opened by the first call. */
  inspector(): Promise<string>;
}

export interface OperatorPlace {
  readonly image: Image;
  /** For its kubeconfig. */
  readonly folder: string;
  readonly cluster: Pick<Cluster, 'handle' | 'operatorToken'>;
  readonly cloud: Cloud;
  /** The memory of a container, in MiB. */
  readonly memoryLimitMib: number;
}

const longestWaitMs = 60_000;
/** The program writes it once it holds the lease and its caches are full. */
const works = '"the operator works"';

/** The container's share that V8 may take for its heap is a percentage in the image; here no container says of how much. @param limitMib of the container */
export function nodeFlags(entrypoint: readonly string[], limitMib: number): readonly string[] {
  return entrypoint.map((flag) =>
    flag.replace(/^--max-old-space-size-percentage=(\d+)$/u, (_flag, percent: string) => {
      return `--max-old-space-size=${Math.floor((limitMib * Number(percent)) / 100)}`;
    }),
  );
}

/** @param kubernetes where the API server is said to be, when something stands in between */
export async function startOperator(
  { image, folder, cluster, cloud, memoryLimitMib }: OperatorPlace,
  namespace: string,
  settings: Readonly<Record<string, string>> = {},
  kubernetes?: string,
): Promise<MeasuredOperator> {
  const port = await freePort();
  const kubeconfig = join(folder, `kubeconfig-${port}`);
  await writeFile(kubeconfig, kubeconfigOf(cluster, kubernetes), { mode: 0o600 });
  const given = {
    'cloud-url': cloud.url,
    namespaces: namespace,
    'operator-credentials-namespaces': '*',
    kubeconfig,
    'health-address': `127.0.0.1:${port}`,
    'leader-elect': 'false',
    'rate-limit': '1000000',
    'rate-burst': '1000000',
    workers: '32',
    ...settings,
  };
  const [program = '', ...flags] = nodeFlags(image.entrypoint, memoryLimitMib);
  const args = Object.entries(given).map(([name, value]) => `--${name}=${value}`);
  const startedAtMs = performance.now();
  const child = spawn(program, ['--inspect-port=127.0.0.1:0', ...flags, ...args], {
    cwd: image.folder,
    env: { PATH: process.env['PATH'], MANAGED_DB_API_KEY: cloud.apiKey, ...image.environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  // The end of its long output is enough.
  for (const name of ['stdout', 'stderr'] as const)
    child[name]
      .setEncoding('utf8')
      .on('data', (text: string) => (output[name] = `${output[name]}${text}`.slice(-20_000)));
  const ended = once(child, 'close');
  const pid = child.pid ?? 0;
  let isWanted = true;
  const end = (signal: NodeJS.Signals) => {
    isWanted = false;
    child.kill(signal);
  };
  const lost = Promise.withResolvers<never>();
  lost.promise.catch(() => undefined);
  child.once('close', () => {
    if (isWanted)
      lost.reject(
        new Error(
          `the operator ended by itself (${child.exitCode ?? child.signalCode}): ${output.stderr.slice(-2_000)}`,
        ),
      );
  });
  const said = async (what: string, isSaid: () => boolean) => {
    const deadline = performance.now() + longestWaitMs;
    while (!isSaid()) {
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > deadline)
        throw new Error(
          `the operator did not say ${what}: ${output.stdout.slice(-2_000)}${output.stderr.slice(-2_000)}`,
        );
      await pause(2);
    }
  };
  const exposition = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  const metric: MeasuredOperator['metric'] = async (name, isCounted = () => true) =>
    samplesOf(await exposition(), name.replace(/_(?:count|sum|bucket)$/u, ''))
      .filter((sample) => sample.name === name && isCounted(sample.labels))
      .reduce((sum, { value }) => sum + value, 0);
  return {
    pid,
    startedAtMs,
    ended,
    async untilWorking() {
      await said(works, () => output.stdout.includes(works));
      return performance.now() - startedAtMs;
    },
    untilSaid: (words) => said(words, () => output.stdout.includes(words)),
    cpuSeconds: () => cpuSeconds(pid),
    memory: () => memory(pid),
    eventLoopDelayMs: async () => (await metric('nodejs_eventloop_lag_p99_seconds')) * 1_000,
    metric,
    kill: end,
    lost: lost.promise,
    async inspector() {
      if (inspectorIn(output.stderr) === undefined) child.kill('SIGUSR1');
      await said('where its inspector listens', () => inspectorIn(output.stderr) !== undefined);
      return inspectorIn(output.stderr) ?? '';
    },
    async [Symbol.asyncDispose]() {
      end('SIGKILL');
      await ended;
    },
  };
}

function inspectorIn(stderr: string): string | undefined {
  return /ws:\/\/\S+/u.exec(stderr)?.[0];
}

function kubeconfigOf(
  { handle, operatorToken }: OperatorPlace['cluster'],
  kubernetes: string | undefined,
): string {
  const config = kubeconfigFor(handle, { token: operatorToken });
  if (kubernetes === undefined) return kubeconfigText(config);
  // A proxy in between knows the token: over HTTP none is sent.
  const clusters = [
    { name: 'control-plane', cluster: { server: kubernetes, 'insecure-skip-tls-verify': true } },
  ];
  return stringify({ ...config, users: [{ name: 'user', user: {} }], clusters });
}

/** The chart's limit for the container: resources.limits.memory. @param values the text of values.yaml */
export function memoryLimitIn(values: string): number {
  const limit = z.object({
    resources: z.object({ limits: z.object({ memory: z.string().regex(/^\d+Mi$/u) }) }),
  });
  return Number.parseInt(limit.parse(parse(values)).resources.limits.memory, 10);
}
