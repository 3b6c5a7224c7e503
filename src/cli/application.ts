import { buildApplication, buildCommand, buildRouteMap, run, type CommandContext, type StricliProcess } from '@stricli/core';
import type { PlanFlags } from './commands/plan.ts';
import type { Session } from './session.ts';

interface Context extends CommandContext {
  readonly session: Session;
  readonly end: (code: number) => void;
}

/** Ends a command with its exit code. An error ends it with 1, and with a line that says what to do. @throws a bug of this program */
async function ended({ session, end }: Context, work: Promise<number>): Promise<void> {
  try {
    end(await work);
  } catch (error) {
    const { explained } = await import('./explained.ts');
    const line = explained(error, session.signal);
    if (line === undefined) throw error;
    session.stderr.write(`Error: ${line}\n`);
    end(1);
  }
}

const text = { kind: 'parsed', parse: String, optional: true } as const;

const clusterFlags = {
  kubeconfig: { ...text, brief: 'File of the kubeconfig', placeholder: 'FILE' },
  context: { ...text, brief: 'Context of the kubeconfig', placeholder: 'NAME' },
  namespace: { ...text, brief: 'Namespace of the objects', placeholder: 'NAME' },
  allNamespaces: { kind: 'boolean', brief: 'All objects of all namespaces', default: false, withNegated: false },
  cloudUrl: { ...text, brief: "URL of the cloud. Default: as in the operator's Deployment", placeholder: 'URL' },
  credentials: { ...text, brief: "Secret with the operator's own key. Default: that of its Deployment", placeholder: 'NAMESPACE/NAME' },
  operator: { ...text, brief: 'Deployment of the operator. Default: the only one', placeholder: 'NAMESPACE/NAME' },
} as const;

const plan = buildCommand<PlanFlags, string[], Context>({
  docs: {
    brief: 'Say in advance what the operator will do',
    customUsage: ['-f FILE|DIR|-', '-k DIR', 'KIND/NAME ...', '-A', '--delete KIND/NAME'],
  },
  parameters: {
    flags: {
      filename: { ...text, brief: 'Manifests, as for kubectl apply', placeholder: 'FILE', variadic: true },
      kustomize: { ...text, brief: 'Folder with a kustomization', placeholder: 'DIR' },
      recursive: { kind: 'boolean', brief: 'With the folders below', default: false, withNegated: false },
      delete: { ...text, brief: 'Plan the deletion of this object', placeholder: 'KIND/NAME', variadic: true },
      output: { kind: 'enum', values: ['text', 'json', 'markdown'], brief: 'Form of the plan', default: 'text' },
      failOn: {
        kind: 'enum',
        values: ['any', 'disruptive', 'destructive', 'drift'],
        brief: 'Steps for which the exit code is 2',
        default: 'any',
      },
      ...clusterFlags,
    },
    positional: { kind: 'array', parameter: { brief: 'Object', parse: String, placeholder: 'KIND/NAME' } },
    aliases: { f: 'filename', k: 'kustomize', R: 'recursive', o: 'output', n: 'namespace', A: 'allNamespaces' },
  },
  async func(flags, ...words) {
    const { planCommand } = await import('./commands/plan.ts');
    await ended(this, planCommand(flags, words, this.session));
  },
});

const application = buildApplication(
  buildRouteMap({ routes: { plan }, docs: { brief: 'Plans and explains the databases of this cluster' } }),
  {
    name: 'managed-db',
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: true, disableAnsiColor: true },
  },
);

const to = (stream: Session['stdout']) => ({ write: (said: string) => void stream.write(said) });

/** Runs a command. @returns the exit code: 0, 2 for a plan with changes, 1 for an error */
export async function runCommand(argv: readonly string[], session: Session): Promise<number> {
  let code: number | undefined;
  const process: StricliProcess = { stdout: to(session.stdout), stderr: to(session.stderr) };
  await run(application, argv, {
    process,
    session,
    end: (given: number) => {
      code = given;
    },
  });
  return code ?? (process.exitCode === 0 ? 0 : 1);
}
