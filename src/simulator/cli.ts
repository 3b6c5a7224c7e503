import { parseArgs } from 'node:util';
import * as z from 'zod';
import { usualOffers } from './offers.ts';
import { longestLatencyMs } from './project.ts';
import { startSimulator } from './simulator.ts';
import { rememberMs, scaledClock } from './timeline.ts';

export interface Terminal {
  readonly stdout: { write(text: string): unknown };
  readonly stderr: { write(text: string): unknown };
  readonly signal: AbortSignal;
}

/** An empty text is not zero. */
const number = (minimum: number, maximum: number) =>
  z
    .string()
    .regex(/\S/u, 'needs a value')
    .pipe(
      z.coerce
        .number<string>('is a number')
        .min(minimum, `is at least ${minimum}`)
        .max(maximum, `is at most ${maximum}`),
    );
const list = (pattern: RegExp, hint: string) =>
  z
    .string()
    .regex(pattern, hint)
    .transform((text) => text.split(','));
const settings = z.object({
  host: z.string().regex(/^\S+$/u, 'is a host name or an address').default('127.0.0.1'),
  port: number(0, 65_535).refine(Number.isInteger, 'is a whole number').default(8090),
  latency: number(0, longestLatencyMs).default(3_000),
  'time-scale': number(0.001, 100_000).default(1),
  'list-lag': number(0, rememberMs).default(0),
  regions: list(/^[\w-]+(?:,[\w-]+)*$/u, 'is "any", or regions with commas').default([
    ...usualOffers.regions,
  ]),
  sizes: list(
    /^(?:\d+\/\d+(?:,\d+\/\d+)*|any)$/u,
    'is "any", or sizes such as 1000/4 with commas',
  ).default([...usualOffers.sizes]),
  project: z
    .string()
    .regex(/^\w[\w.-]{0,63}$/u, 'is letters, digits, ".", "_" and "-", 64 at most')
    .default('prj1'),
  'api-key': z
    .string()
    .regex(/^[\w.~+/=-]+$/u, 'is letters, digits and any of ._~+/=-')
    .default('simulator-key'),
});

const help = `The managed database cloud in memory: its whole API, for trying things out and for tests.

  npm run simulator -- [--name value ...]

  --port N         default 8090; 0 takes any free one
  --host HOST      default 127.0.0.1
  --latency MS     how long the cloud works on a change; default 3000, 0 is at once
  --time-scale X   its time runs X times as fast; default 1
  --list-lag MS    lists show the world as it was so long ago; default 0
  --regions LIST   regions on offer; "any" offers all; default ${usualOffers.regions.join(',')}
  --sizes LIST     millicores/gigabytes on offer; "any" offers all; default ${usualOffers.sizes.join(',')}
  --project ID     default prj1
  --api-key KEY    default simulator-key; it opens nothing but this simulator
`;

/** Runs until the signal aborts. @returns the exit code: 2 for unknown arguments, 1 when the port is not available */
export async function runSimulator(
  argv: readonly string[],
  { stdout, stderr, signal }: Terminal,
): Promise<number> {
  const read = readArguments(argv);
  if (read.state === 'help') {
    stdout.write(help);
    return 0;
  }
  if (read.state === 'wrong') {
    for (const line of read.errors) stderr.write(`${line}\n`);
    return 2;
  }
  const {
    host,
    port,
    latency,
    project,
    regions,
    sizes,
    'time-scale': scale,
    'list-lag': listLagMs,
    'api-key': apiKey,
  } = read.settings;
  try {
    await using simulator = await startSimulator({
      host,
      port,
      latencyMs: latency,
      listLagMs,
      offers: { regions, sizes },
      clock: scaledClock(scale),
    });
    simulator.addProject({ id: project, apiKey });
    stdout.write(greeting(simulator.url, project, apiKey));
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    return 0;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    const hint = ['EADDRINUSE', 'EACCES'].includes(error.code)
      ? 'choose another --port, or 0 for a free port'
      : 'choose another --host, such as 127.0.0.1';
    stderr.write(`cannot listen on ${host}:${port} (${error.code}): ${hint}\n`);
    return 1;
  }
}

const options = {
  ...Object.fromEntries(
    Object.keys(settings.shape).map((name) => [name, { type: 'string' as const }]),
  ),
  help: { type: 'boolean', short: 'h' },
} as const;

function readArguments(argv: readonly string[]) {
  try {
    const { help: wantsHelp, ...given } = parseArgs({ args: [...argv], options }).values;
    if (wantsHelp) return { state: 'help' as const };
    const parsed = settings.safeParse(given);
    if (parsed.success) return { state: 'run' as const, settings: parsed.data };
    return {
      state: 'wrong' as const,
      errors: parsed.error.issues.map(({ path, message }) => `--${path.join('.')} ${message}`),
    };
  } catch (error) {
    return {
      state: 'wrong' as const,
      errors: [error instanceof Error ? error.message : String(error)],
    };
  }
}

function greeting(url: string, project: string, apiKey: string): string {
  const auth = `-H 'Authorization: Bearer ${apiKey}'`;
  return `The simulator listens on ${url}. Project ${project}, API key ${apiKey}. Ctrl-C ends it, and everything in it.

  curl -s ${auth} ${url}/auth/info
  curl -s ${auth} -H 'Content-Type: application/json' -d '{"name": "orders", "cpu_millis": "1000", "memory_gbs": "4"}' ${url}/projects/${project}/services
  curl -s ${auth} ${url}/projects/${project}/services

States, faults and all resources ever created: curl -s ${url}/_simulator/
`;
}

function isSystemError(error: unknown): error is Error & { readonly code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
