import {
  AliasNotFoundError,
  buildApplication,
  buildCommand,
  buildRouteMap,
  FlagNotFoundError,
  proposeCompletions,
  run,
  text_en,
  type CommandContext,
  type StricliProcess,
} from '@stricli/core';
import type { ApproveFlags } from './commands/approve.ts';
import type { CheckFlags } from './commands/check.ts';
import type { ImportFlags } from './commands/import.ts';
import type { InventoryFlags } from './commands/inventory.ts';
import type { PlanFlags } from './commands/plan.ts';
import type { Request, RequestFlags } from './commands/request.ts';
import type { VersionFlags } from './commands/version.ts';
import type { WakeFlags } from './commands/wake.ts';
import type { WhyFlags } from './commands/why.ts';
import { printableLines } from '../logging/printable.ts';
import { completionScripts, shellNamed, shells, type Shell } from './completion.ts';
import {
  aliases,
  cloudFlags,
  clusterFlags,
  noSuchFlag,
  objectFlags,
  sharedFlags,
  wakeTimeIn,
} from './flags.ts';
import type { Session } from './session.ts';

interface Context extends CommandContext {
  readonly session: Session;
  readonly end: (code: number) => void;
}

/** Ends a command with its exit code: 1 for an error, with a line about the next action. @throws a bug of this program */
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

const objects = {
  kind: 'array',
  parameter: { brief: 'Object', parse: String, placeholder: 'KIND/NAME' },
} as const;

const plan = buildCommand<PlanFlags, string[], Context>({
  docs: {
    brief: 'Say in advance what the operator will do',
    customUsage: [
      '-f FILE|DIR|-',
      '-k DIR',
      '-f DIR --prune -l LABEL=VALUE',
      'KIND/NAME ...',
      '-n NAMESPACE',
      '-A',
      '--delete KIND/NAME',
    ],
  },
  parameters: {
    flags: {
      filename: {
        ...text,
        brief: 'Manifests, as for kubectl apply',
        placeholder: 'FILE',
        variadic: true,
      },
      kustomize: { ...text, brief: 'Folder with a kustomization', placeholder: 'DIR' },
      recursive: {
        kind: 'boolean',
        brief: 'With the folders below',
        default: false,
        withNegated: false,
      },
      serverSide: {
        kind: 'boolean',
        brief: 'As kubectl apply --server-side',
        default: false,
        withNegated: false,
      },
      fieldManager: { ...text, brief: 'Its field manager. Default: kubectl', placeholder: 'NAME' },
      delete: {
        ...text,
        brief: 'Plan the deletion of this object',
        placeholder: 'KIND/NAME',
        variadic: true,
      },
      prune: {
        kind: 'boolean',
        brief: 'Plan the deletion of objects that are not in the manifests',
        default: false,
        withNegated: false,
      },
      selector: { ...text, brief: 'Labels of these objects', placeholder: 'LABEL=VALUE' },
      output: {
        kind: 'enum',
        values: ['text', 'json', 'markdown'],
        brief: 'Form of the plan',
        default: 'text',
      },
      failOn: {
        kind: 'enum',
        values: ['any', 'disruptive', 'destructive', 'drift'],
        brief: 'Steps for which the exit code is 2',
        default: 'any',
      },
      ...objectFlags,
      ...clusterFlags,
      ...cloudFlags,
    },
    positional: objects,
    aliases: {
      f: 'filename',
      k: 'kustomize',
      R: 'recursive',
      l: 'selector',
      o: 'output',
      ...aliases,
    },
  },
  async func(flags, ...words) {
    const { planCommand } = await import('./commands/plan.ts');
    await ended(this, planCommand(flags, words, this.session));
  },
});

const why = buildCommand<WhyFlags, string[], Context>({
  docs: {
    brief: 'Say why an object is not as its spec asks',
    customUsage: ['KIND/NAME ...', '-n NAMESPACE', '-A'],
  },
  parameters: {
    flags: {
      output: {
        kind: 'enum',
        values: ['text', 'json'],
        brief: 'Form of the answer',
        default: 'text',
      },
      failOn: {
        kind: 'enum',
        values: ['any', 'stalled'],
        brief: 'Objects for which the exit code is 2',
        default: 'any',
      },
      ...objectFlags,
      ...clusterFlags,
    },
    positional: objects,
    aliases: { o: 'output', ...aliases },
  },
  async func(flags, ...words) {
    const { whyCommand } = await import('./commands/why.ts');
    await ended(this, whyCommand(flags, words, this.session));
  },
});

const inventory = buildCommand<InventoryFlags, [], Context>({
  docs: { brief: 'Compare the ledger with the cloud' },
  parameters: {
    flags: {
      output: {
        kind: 'enum',
        values: ['text', 'json'],
        brief: 'Form of the list',
        default: 'text',
      },
      ...objectFlags,
      ...clusterFlags,
      ...cloudFlags,
    },
    aliases: { o: 'output', ...aliases },
  },
  async func(flags) {
    const { inventoryCommand } = await import('./commands/inventory.ts');
    await ended(this, inventoryCommand(flags, this.session));
  },
});

const importing = buildCommand<ImportFlags, [], Context>({
  docs: { brief: 'Write manifests that adopt the resources in the cloud' },
  parameters: {
    flags: {
      outputDir: { kind: 'parsed', parse: String, brief: 'An empty folder', placeholder: 'DIR' },
      only: { ...text, brief: 'Only this kind', placeholder: 'KIND', variadic: true },
      manage: {
        kind: 'boolean',
        brief: 'managementPolicy Manage instead of Observe',
        default: false,
        withNegated: false,
      },
      credentialsRef: {
        ...text,
        brief: 'Secret of the namespace with the API key',
        placeholder: 'NAME',
      },
      namespace: sharedFlags.namespace,
      ...clusterFlags,
      ...cloudFlags,
    },
    aliases: { n: aliases.n },
  },
  async func(flags) {
    const { importCommand } = await import('./commands/import.ts');
    await ended(this, importCommand(flags, this.session));
  },
});

const check = buildCommand<CheckFlags, [], Context>({
  docs: { brief: 'Compare a cloud with the document of its API, by reads alone' },
  parameters: {
    flags: {
      cloudUrl: cloudFlags.cloudUrl,
      output: {
        kind: 'enum',
        values: ['text', 'json'],
        brief: 'Form of the result',
        default: 'text',
      },
    },
    aliases: { o: 'output' },
  },
  async func(flags) {
    const { checkCommand } = await import('./commands/check.ts');
    await ended(this, checkCommand(flags, this.session));
  },
});

const approve = buildCommand<ApproveFlags, string[], Context>({
  docs: {
    brief: 'Approve the held changes of objects',
    customUsage: ['KIND/NAME ...', '-f FILE|DIR|-', '-n NAMESPACE', '-A', '-l LABEL=VALUE'],
  },
  parameters: {
    flags: {
      filename: {
        ...text,
        brief: 'Manifests that name the objects',
        placeholder: 'FILE',
        variadic: true,
      },
      selector: { ...text, brief: 'Labels of the objects', placeholder: 'LABEL=VALUE' },
      now: {
        kind: 'boolean',
        brief: 'Start also outside of the change windows',
        default: false,
        withNegated: false,
      },
      yes: { kind: 'boolean', brief: 'Ask nothing', default: false, withNegated: false },
      revoke: {
        kind: 'boolean',
        brief: 'Remove the approvals instead',
        default: false,
        withNegated: false,
      },
      ...objectFlags,
      ...clusterFlags,
    },
    positional: objects,
    aliases: { f: 'filename', l: 'selector', ...aliases },
  },
  async func(flags, ...words) {
    const { approveCommand } = await import('./commands/approve.ts');
    await ended(this, approveCommand(flags, words, this.session));
  },
});

const completing = buildCommand({
  docs: { brief: 'Print the completion script of a shell, or of kubectl' },
  parameters: {
    positional: {
      kind: 'tuple',
      parameters: [{ brief: shells.join(', '), parse: shellNamed, placeholder: 'SHELL' }],
    },
  },
  func(this: Context, _flags: object, shell: Shell) {
    this.session.stdout.write(completionScripts[shell]);
    this.end(0);
  },
});

const version = buildCommand<VersionFlags, [], Context>({
  docs: { brief: 'Print the versions of this program and of the operator' },
  parameters: { flags: clusterFlags },
  async func(flags) {
    const { versionCommand } = await import('./commands/version.ts');
    await ended(this, versionCommand(flags, this.session));
  },
});

function requesting(request: Request, brief: string) {
  return buildCommand<RequestFlags, string[], Context>({
    docs: { brief, customUsage: ['KIND/NAME ...'] },
    parameters: {
      flags: {
        timeout: sharedFlags.timeout,
        namespace: sharedFlags.namespace,
        ...clusterFlags,
      },
      positional: { ...objects, minimum: 1 },
      aliases: { n: aliases.n },
    },
    async func(flags, ...words) {
      const { requestCommand } = await import('./commands/request.ts');
      await ended(this, requestCommand(request, flags, words, this.session));
    },
  });
}

const wake = buildCommand<WakeFlags, string[], Context>({
  docs: {
    brief: 'Start a service outside of its running hours',
    customUsage: ['KIND/NAME ... --for 2h'],
  },
  parameters: {
    flags: {
      for: {
        kind: 'parsed',
        parse: wakeTimeIn,
        brief: 'Time that it stays awake, from 1m to 7d',
        default: '2h',
        placeholder: '2h',
      },
      namespace: sharedFlags.namespace,
      ...clusterFlags,
    },
    positional: { ...objects, minimum: 1 },
    aliases: { n: aliases.n },
  },
  async func(flags, ...words) {
    const { wakeCommand } = await import('./commands/wake.ts');
    await ended(this, wakeCommand(flags, words, this.session));
  },
});

const routes = buildRouteMap({
  routes: {
    plan,
    why,
    inventory,
    import: importing,
    check,
    approve,
    sync: requesting('sync', 'Have the operator look at an object now'),
    suspend: requesting('suspend', 'Have the operator leave an object as it is'),
    resume: requesting('resume', 'End a suspension'),
    wake,
    completion: completing,
    version,
  },
  docs: { brief: 'Plans and explains the databases of this cluster' },
});

/** @param command the word of the command, which errors about its flags name */
function applicationFor(command: string | undefined) {
  return buildApplication<Context>(routes, {
    name: 'managed-db',
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
    documentation: {
      caseStyle: 'convert-camel-to-kebab',
      useAliasInUsageLine: true,
      onlyRequiredInUsageLine: true,
      disableAnsiColor: true,
    },
    localization: {
      text: {
        ...text_en,
        exceptionWhileParsingArguments(error, ansiColor) {
          if (error instanceof AliasNotFoundError) return noSuchFlag(command, error.input);
          if (error instanceof FlagNotFoundError)
            return noSuchFlag(command, error.input, error.corrections);
          return text_en.exceptionWhileParsingArguments.call(this, error, ansiColor);
        },
      },
    },
  });
}

/** Everything that the program prints goes through here. */
const to = (stream: Session['stdout']) => ({
  write: (said: string) => void stream.write(printableLines(said)),
});

const fold = (line: string) =>
  line.length <= 80 ? line : line.replace(/ {2,}(\[[^\]]*\])$/u, `\n${' '.repeat(25)}$1`);

/** The values of a flag go to the next line where there is no room for them. */
function folded(stream: Session['stdout']): ReturnType<typeof to> {
  return { write: (said) => void stream.write(said.split('\n').map(fold).join('\n')) };
}

/** A line for each word that may follow: the word, a tab, and its meaning. */
async function complete(words: readonly string[], { stdout }: Session): Promise<number> {
  const silent = { write: () => undefined };
  const context = {
    process: { stdout: silent, stderr: silent },
    session: { stdout, stderr: silent, signal: new AbortController().signal },
  };
  const proposals = await proposeCompletions(applicationFor(undefined), words, {
    ...context,
    end: () => undefined,
  });
  for (const { completion, brief } of proposals) stdout.write(`${completion}\t${brief}\n`);
  return 0;
}

/** Runs a command. @returns the exit code: 0, 2 for a plan with changes or for objects that wait, 1 for an error */
export async function runCommand(
  argv: readonly string[],
  { stdout, stderr, signal }: Session,
): Promise<number> {
  const session = { stdout: to(stdout), stderr: to(stderr), signal };
  let code: number | undefined;
  if (argv[0] === '__complete') return complete(argv.slice(1), session);
  if (argv[0] === '--version') {
    const { programLine } = await import('./commands/version.ts');
    session.stdout.write(`${programLine()}\n`);
    return 0;
  }
  const isHelp = argv.includes('--help') || argv.includes('-h');
  const process: StricliProcess = {
    stdout: isHelp ? folded(session.stdout) : session.stdout,
    stderr: session.stderr,
  };
  await run(applicationFor(argv[0]), argv, {
    process,
    session,
    end: (given: number) => {
      code = given;
    },
  });
  return code ?? (process.exitCode === 0 ? 0 : 1);
}
