import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { settingsSchema } from '../config/config.ts';
import { logger } from '../logging/logging.ts';
import { startOperator } from '../operator/operator.ts';
import { chance } from '../operator/random-text.ts';
import { type OperatorTerminal, settingsOf } from '../operator/run-operator.ts';
import { unlessAborted } from '../runtime/index.ts';
import { kubeconfig } from '../runtime/kubeconfig.ts';
import { type Simulator, startSimulator } from '../simulator/simulator.ts';
import { cluster, type Cluster, DemoFailed } from './cluster.ts';

const help = `A guided tour: a real Kubernetes control plane, the cloud simulated, the operator between them, and a few samples.

  npm run demo               stays until Ctrl-C, for you to try things
  npm run demo -- --once     deletes everything at the end, checks that the cloud is empty, and ends
  npm run demo -- --verbose  shows the log of the operator
`;

const namespace = 'demo';
const readyWithinMs = 120_000;
const goneWithinMs = 90_000;
const samples = fileURLToPath(new URL('../../deploy/samples/all.yaml', import.meta.url));

/** Runs the tour. @returns the exit code: 1 when a step failed, with the reason printed; 2 for unknown arguments */
export async function runDemo(
  argv: readonly string[],
  { stdout, stderr, signal: interrupted }: OperatorTerminal,
): Promise<number> {
  const wanted = flagsOf(argv);
  if (wanted instanceof Error) {
    stderr.write(`${wanted.message}\n\n${help}`);
    return 2;
  }
  if (wanted.help) {
    stdout.write(help);
    return 0;
  }
  const show = lines(stdout);
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
    if (recent.length > 0)
      stderr.write(`\nThe operator's last words:\n${recent.slice(-20).join('')}`);
    return 1;
  } finally {
    signal.removeEventListener('abort', stopping);
  }
}

interface Wanted {
  readonly once: boolean;
  readonly verbose: boolean;
}

async function tour(
  { once, verbose }: Wanted,
  show: Show,
  recent: string[],
  signal: AbortSignal,
): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const plane = stack.use(
    await show.run('Kubernetes control plane', (say) => cluster(say, signal)),
  );
  await show.run('Custom resources, roles, policies', () =>
    unlessAborted(plane.install(namespace), signal),
  );
  const simulator = stack.use(await show.run('Cloud simulator', () => startSimulator()));
  const project = simulator.addProject({ id: 'prjdemo' });
  const keep = (line: string) => {
    recent.push(line);
    if (verbose) show.say(line);
  };
  await show.run('Operator, with the rights of its ServiceAccount', async () => {
    const text = await plane.operatorKubeconfig();
    const config = settingsSchema.parse({
      cloudUrl: simulator.url,
      operatorCredentialsNamespaces: '*',
      workers: '8',
    });
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
  await show.run(`kubectl apply -n ${namespace} -f deploy/samples/all.yaml`, () =>
    unlessAborted(plane.apply(namespace, samples), signal),
  );
  const screen = { plane, show, signal };
  await watchUntil(screen, {
    withinMs: readyWithinMs,
    failure: 'these objects are not Ready',
    isReached: ({ ready }) => ready,
  });
  await showConnection(plane, show);
  if (once) {
    await show.run(`kubectl delete -n ${namespace} -f deploy/samples/all.yaml`, () =>
      unlessAborted(plane.remove(namespace, samples), signal),
    );
    await watchUntil(screen, {
      withinMs: goneWithinMs,
      failure: 'these objects do not go',
      isReached: ({ count }) => count === 0,
    });
    const left = project.everCreated.filter(
      ({ deletedAt }) => deletedAt === undefined || Date.parse(deletedAt) > project.clock.now(),
    );
    if (left.length > 0)
      throw new DemoFailed(
        `the cloud still has ${left.map(({ kind, id }) => `${kind} ${id}`).join(', ')}`,
      );
    show.say('The cloud is empty again. Stopping ...\n');
  } else {
    show.say(whatNext(plane, simulator));
    if (!signal.aborted)
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  }
}

/** A cluster, and the terminal that shows its objects until the user ends the demo. */
interface Screen {
  readonly plane: Cluster;
  readonly show: Show;
  readonly signal: AbortSignal;
}

/** A state of all objects, the time for it, and the words if the time is over. */
interface Goal {
  readonly withinMs: number;
  readonly failure: string;
  readonly isReached: (look: { readonly ready: boolean; readonly count: number }) => boolean;
}

/** Prints the objects as kubectl does, at each change, until they are in the wanted state. */
async function watchUntil(
  { plane, show, signal }: Screen,
  { withinMs, failure, isReached }: Goal,
): Promise<void> {
  const deadline = performance.now() + withinMs;
  let printed = '';
  for (;;) {
    const look = await plane.look(namespace);
    const news = withoutAge(look.table);
    if (news !== printed) show.say(`\n${look.table}\n${look.why === '' ? '' : `\n${look.why}\n`}`);
    printed = news;
    if (isReached(look)) break;
    if (performance.now() > deadline)
      throw new DemoFailed(`After ${withinMs / 1_000} s ${failure}:\n${look.why}`);
    await unlessAborted(new Promise((resolve) => setTimeout(resolve, 300)), signal);
  }
}

/** Without the last column, which changes every second. */
function withoutAge(table: string): string {
  return table.replaceAll(/\s+\S+$/gm, '');
}

async function showConnection(plane: Cluster, show: Show): Promise<void> {
  const keys = await plane.secretKeys(namespace, 'orders-db');
  show.say(
    `\nAn app connects with Secret orders-db:\n${keys.map(([key, value]) => `  ${key.padEnd(10)}${value}\n`).join('')}\n`,
  );
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

/** @returns the error of Node for unknown arguments */
function flagsOf(argv: readonly string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({
      args: [...argv],
      options: { once: flag, verbose: flag, help: { ...flag, short: 'h' } },
    }).values;
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

/** Prints the tour, until its end. */
interface Show {
  run<T>(title: string, work: (say: (detail: string) => void) => Promise<T>): Promise<T>;
  say(text: string): void;
  /** Prints the last text. Later output of unfinished work is not shown. */
  end(text: string): void;
}

/** A long step reports its progress only so often. */
const progressIntervalMs = 30_000;

function lines(stdout: OperatorTerminal['stdout']): Show {
  let hasEnded = false;
  const say = (text: string) => {
    if (!hasEnded) stdout.write(text);
  };
  return {
    say,
    async run(title, work) {
      const begun = performance.now();
      let saidAt = Number.NEGATIVE_INFINITY;
      say(`${title} ...\n`);
      let outcome = 'failed';
      try {
        const result = await work((detail) => {
          if (performance.now() - saidAt < progressIntervalMs) return;
          saidAt = performance.now();
          say(`  ${detail}\n`);
        });
        outcome = 'done';
        return result;
      } finally {
        say(`${outcome}: ${title} (${((performance.now() - begun) / 1_000).toFixed(1)} s)\n`);
      }
    },
    end(text) {
      say(text);
      hasEnded = true;
    },
  };
}
