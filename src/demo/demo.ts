import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { settingsSchema } from '../config/config.ts';
import { logger } from '../logging/logging.ts';
import { startOperator } from '../operator/operator.ts';
import { chance } from '../operator/random-text.ts';
import { settingsOf } from '../operator/run-operator.ts';
import { unlessAborted } from '../runtime/index.ts';
import { kubeconfig } from '../runtime/kubeconfig.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { cluster, type Cluster, DemoFailed } from './cluster.ts';

export interface DemoTerminal {
  readonly stdout: Screen;
  readonly stderr: Screen;
  /** Ctrl-C. */
  readonly signal: AbortSignal;
}

const help = `A guided tour: a real Kubernetes control plane, the cloud simulated, the operator between them, and a few samples.

  npm run demo               stays until Ctrl-C, for you to try things
  npm run demo -- --once     deletes everything at the end, checks that the cloud is empty, and ends
  npm run demo -- --verbose  shows what the operator logs
`;

const namespace = 'demo';
const readyWithinMs = 120_000;
const goneWithinMs = 90_000;
const samples = fileURLToPath(new URL('../../deploy/samples/all.yaml', import.meta.url));

/** Runs the tour. @returns the exit code: 1 when a step failed, with the reason printed; 2 for unknown arguments */
export async function runDemo(argv: readonly string[], { stdout, stderr, signal: interrupted }: DemoTerminal): Promise<number> {
  const wanted = options(argv);
  if (wanted.state === 'help') {
    stdout.write(help);
    return 0;
  }
  if (wanted.state === 'wrong') {
    for (const line of wanted.errors) stderr.write(`${line}\n`);
    return 2;
  }
  const show = steps(stdout);
  const recent: string[] = [];
  const { parentGone } = await import('../../test/control-plane/parent-gone.ts');
  const orphaned = new AbortController();
  void parentGone().then(() => orphaned.abort());
  const signal = AbortSignal.any([interrupted, orphaned.signal]);
  const stopping = () => show.end('Stopping ... (Ctrl-C again does it at once)\n');
  signal.addEventListener('abort', stopping, { once: true });
  try {
    await tour(wanted, show, recent, signal);
    return 0;
  } catch (error) {
    if (signal.aborted) return 130;
    if (!(error instanceof DemoFailed)) throw error;
    stderr.write(`\n${error.message}\n`);
    if (recent.length > 0) stderr.write(`\nThe operator's last words:\n${recent.slice(-20).join('')}`);
    return 1;
  } finally {
    signal.removeEventListener('abort', stopping);
  }
}

interface Wanted {
  readonly once: boolean;
  readonly verbose: boolean;
}

async function tour({ once, verbose }: Wanted, show: Steps, recent: string[], signal: AbortSignal): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(await show.run('Kubernetes control plane', (say) => cluster(say, signal)));
  await show.run('Custom resources, roles, policies', () => unlessAborted(plane.install(namespace), signal));
  const simulator = stack.use(await show.run('Cloud simulator', () => startSimulator()));
  const project = simulator.addProject({ id: 'prjdemo' });
  const keep = (line: string) => {
    recent.push(line);
    if (verbose) show.say(line);
  };
  await show.run('Operator, with the rights of its ServiceAccount', async () => {
    const text = await plane.operatorKubeconfig();
    const config = settingsSchema.parse({ cloudUrl: simulator.url, operatorCredentialsNamespaces: '*', workers: '8' });
    const started = await startOperator(
      { ...settingsOf(config), health: undefined },
      {
        apiServer: () => kubeconfig({ text }).apiServer(),
        ownKey: () => Promise.resolve(project.apiKey),
        log: logger({ level: 'info', format: 'pretty', write: keep }),
        ...chance,
      },
    );
    stack.defer(() => started.stop(5_000));
    await unlessAborted(started.started, signal);
  });
  await show.run(`kubectl apply -n ${namespace} -f deploy/samples/all.yaml`, () => unlessAborted(plane.apply(namespace, samples), signal));
  await watchUntil(plane, show, signal, readyWithinMs, 'these objects are not Ready', ({ ready }) => ready);
  await showConnection(plane, show);
  if (once) {
    await show.run(`kubectl delete -n ${namespace} -f deploy/samples/all.yaml`, () =>
      unlessAborted(plane.remove(namespace, samples), signal),
    );
    await watchUntil(plane, show, signal, goneWithinMs, 'these objects do not go', ({ count }) => count === 0);
    const left = project.everCreated.filter(({ deletedAt }) => deletedAt === undefined || Date.parse(deletedAt) > project.clock.now());
    if (left.length > 0) throw new DemoFailed(`the cloud still has ${left.map(({ kind, id }) => `${kind} ${id}`).join(', ')}`);
    show.say('The cloud is empty again. Stopping ...\n');
  } else {
    show.say(whatNext(plane, simulator));
    if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
}

/** Prints the objects as kubectl does, live, until they are in the wanted state. */
async function watchUntil(
  plane: Cluster,
  show: Steps,
  signal: AbortSignal,
  withinMs: number,
  failure: string,
  wanted: (look: { readonly ready: boolean; readonly count: number }) => boolean,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  show.settle();
  for (;;) {
    const look = await plane.look(namespace);
    show.live(`\n${look.table}\n${look.why === '' ? '' : `\n${look.why}\n`}`, withoutAge(look.table));
    if (wanted(look)) break;
    if (performance.now() > deadline) throw new DemoFailed(`After ${withinMs / 1_000} s ${failure}:\n${look.why}`);
    await unlessAborted(new Promise((resolve) => setTimeout(resolve, 300)), signal);
  }
  show.settle();
}

/** Without the last column, which changes every second. */
function withoutAge(table: string): string {
  return table.replaceAll(/\s+\S+$/gm, '');
}

async function showConnection(plane: Cluster, show: Steps): Promise<void> {
  const keys = await plane.secretKeys(namespace, 'orders-db');
  show.say(`An app connects with Secret orders-db:\n${keys.map(([key, value]) => `  ${key.padEnd(10)}${value}\n`).join('')}\n`);
}

function whatNext({ environment }: Cluster, { url }: Simulator): string {
  return `To go on in another terminal:
  ${environment}

  kubectl get -n ${namespace} managed-db -o wide
  kubectl describe -n ${namespace} msvc orders
  kubectl delete -n ${namespace} rrset orders-reads

The operator serves every namespace of this cluster; the samples are in namespace ${namespace}.
The simulated cloud: curl -s ${url}/_simulator/
Ctrl-C ends everything.
`;
}

function options(
  argv: readonly string[],
): ({ readonly state: 'run' } & Wanted) | { readonly state: 'help' } | { readonly state: 'wrong'; readonly errors: readonly string[] } {
  const { tokens } = parseArgs({ args: [...argv], strict: false, tokens: true, allowPositionals: true });
  const given = new Map<string, boolean>();
  const errors: string[] = [];
  for (const token of tokens) {
    const name = token.kind === 'option' ? token.rawName : token.kind === 'positional' ? token.value : '--';
    const value = token.kind === 'option' ? token.value : undefined;
    if (!flags.includes(name)) errors.push(`${name} is not understood: see npm run demo -- --help`);
    else if (value !== undefined && value !== 'true' && value !== 'false')
      errors.push(`${name}: "${value}": must be true or false, or left out`);
    else given.set(name, value !== 'false');
  }
  if (errors.length > 0) return { state: 'wrong', errors };
  if (given.get('--help') || given.get('-h')) return { state: 'help' };
  return { state: 'run', once: given.get('--once') ?? false, verbose: given.get('--verbose') ?? false };
}

const flags: readonly string[] = ['--once', '--verbose', '--help', '-h'];

/** A terminal is redrawn; any other output gets plain lines. */
export interface Screen {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  /** Of a terminal. Both may change at any time. */
  readonly columns?: number;
  readonly rows?: number;
}

export interface Steps {
  run<T>(title: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T>;
  /** Shows a block that changes. A terminal is redrawn; another output prints the block again when `news` differs. */
  live(block: string, news: string): void;
  /** Keeps the current output; the next live block begins below it. */
  settle(): void;
  say(text: string): void;
  /** Prints the last text. Later output of unfinished work is not shown. */
  end(text: string): void;
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const frameMs = 100;
/** A log file gets progress of a long step only so often. */
const plainIntervalMs = 30_000;

export function steps(screen: Screen): Steps {
  const draws = screen.isTTY === true;
  // The last column stays free: after writing there, a terminal may begin a new line.
  const columns = () => (screen.columns ?? 80) - 1;
  let shown = '';
  let printed = '';
  let hasEnded = false;
  const write = (text: string) => {
    if (!hasEnded) screen.write(text);
  };
  return {
    async run(title, work) {
      const begun = performance.now();
      const took = () => `${((performance.now() - begun) / 1_000).toFixed(1)} s`;
      let detail = '';
      let frame = 0;
      let saidAt = Number.NEGATIVE_INFINITY;
      const draw = () => {
        frame += 1;
        const line = `${frames[frame % frames.length] ?? ''} ${title}${detail === '' ? '' : `: ${detail}`} (${took()})`;
        write(`\r\u001B[2K${cut(line, columns())}`);
      };
      const timer = draws ? setInterval(draw, frameMs) : undefined;
      if (!draws) write(`${title} ...\n`);
      let ended = '✗';
      try {
        const result = await work((next) => {
          detail = next;
          if (draws || performance.now() - saidAt < plainIntervalMs) return;
          saidAt = performance.now();
          write(`  ${next}\n`);
        });
        ended = '✓';
        return result;
      } finally {
        clearInterval(timer);
        write(draws ? `\r\u001B[2K${ended} ${title} (${took()})\n` : `${ended === '✓' ? 'done' : 'failed'}: ${title} (${took()})\n`);
      }
    },
    live(block, news) {
      const fitted = draws ? fitting(block, columns(), screen.rows ?? 24) : block;
      if (fitted === shown || (!draws && news === printed)) return;
      printed = news;
      write(`${draws ? erase(shown.split('\n').length - 1) : ''}${fitted}`);
      shown = fitted;
    },
    settle() {
      shown = '';
      printed = '';
    },
    say: write,
    end(text) {
      write(`${draws ? '\r\u001B[2K' : ''}${text}`);
      hasEnded = true;
    },
  };
}

function erase(lines: number): string {
  return lines > 0 ? `\u001B[${lines}A\u001B[0J` : '';
}

/**
 * Fits a block into the screen, so that it can be redrawn: at most `columns` wide, fewer lines than `rows`. Prose is
 * wrapped and indented; tables are cut.
 */
export function fitting(block: string, columns: number, rows: number): string {
  const lines = block
    .replace(/\n$/u, '')
    .split('\n')
    .flatMap((line) => (line.startsWith(indent) ? wrapped(line, columns) : [cut(line, columns)]));
  const kept = lines.length < rows ? lines : [...lines.slice(0, rows - 2), '...'];
  return `${kept.join('\n')}\n`;
}

/** Lines that begin like this are prose and wrapped; lines of a table are cut. */
const indent = '  ';

function cut(line: string, columns: number): string {
  return line.length <= columns ? line : `${line.slice(0, columns - 1)}…`;
}

function wrapped(line: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let current = indent;
  for (const word of line.trim().split(' ')) {
    const next = current === indent || current === indent + indent ? current + word : `${current} ${word}`;
    if (next.length <= columns) {
      current = next;
      continue;
    }
    lines.push(cut(current, columns));
    current = indent + indent + word;
  }
  return [...lines, cut(current, columns)];
}
