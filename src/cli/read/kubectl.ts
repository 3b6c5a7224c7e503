import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import * as z from 'zod';
import { secretsWithData } from '../../resources/connection-secret.ts';
import { isKind, resourceTypes } from '../../resources/managed-object.ts';
import { resourceKey } from '../../runtime/index.ts';
import { CommandError } from '../error.ts';
import type { Edit } from '../plan/plan.ts';
import type { ClusterChoice } from './cluster.ts';

export interface Manifests {
  readonly files: readonly string[];
  readonly kustomize: string | undefined;
  readonly isRecursive: boolean;
  /** Undefined: `kubectl apply` as it is by default. */
  readonly serverSideManager?: string | undefined;
}

const stored = z.looseObject({
  kind: z.string(),
  apiVersion: z.string(),
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional() }),
});
const reply = z.union([
  z.object({ kind: z.literal('List'), items: z.array(stored) }),
  stored.transform((item) => ({ items: [item] })),
]);

/**
 * The objects of manifests as the API server would store them: `kubectl apply --dry-run=server` fills in defaults and
 * asks admission policies. Nothing is stored.
 * @throws {CommandError} with kubectl's own words
 */
export async function appliedManifests(
  { files, kustomize, isRecursive, serverSideManager }: Manifests,
  { kubeconfig, context, namespace }: ClusterChoice & { readonly namespace?: string },
  signal: AbortSignal,
): Promise<readonly Edit[]> {
  const args = [
    'apply',
    '--dry-run=server',
    '--output=json',
    ...files.map((file) => `--filename=${file}`),
    ...(kustomize === undefined ? [] : [`--kustomize=${kustomize}`]),
    ...(isRecursive ? ['--recursive'] : []),
    ...(serverSideManager === undefined
      ? []
      : ['--server-side', '--force-conflicts', `--field-manager=${serverSideManager}`]),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
  ];
  const { stdout, stderr, code } = await run('kubectl', args, signal);
  if (code !== 0) throw new RefusedManifests(stderr.trim().split('\n').map(shortened).join('\n'));
  return reply.parse(JSON.parse(stdout)).items.flatMap(editOf);
}

/** More refused manifests have a common cause, which kubectl's words about all of them show. */
const mostRefused = 20;

/**
 * The objects of manifests as {@link appliedManifests}, each in a file of its own. A refused manifest does not hold up
 * the others.
 * @returns also kubectl's words by the path of each refused file
 * @throws {CommandError} if more than twenty files are refused, or kubectl is missing
 */
export async function appliedFiles(
  files: readonly string[],
  choice: ClusterChoice & { readonly namespace?: string },
  signal: AbortSignal,
  refused = new Map<string, string>(),
): Promise<{ readonly edits: readonly Edit[]; readonly refused: ReadonlyMap<string, string> }> {
  try {
    return {
      edits: await appliedManifests(
        { files, kustomize: undefined, isRecursive: false },
        choice,
        signal,
      ),
      refused,
    };
  } catch (error) {
    if (!(error instanceof RefusedManifests) || refused.size >= mostRefused) throw error;
    const [only = '', ...more] = files;
    if (more.length === 0) {
      refused.set(only, error.words);
      return { edits: [], refused };
    }
    // Half of the files at a time: few are refused, and each run of kubectl takes a while.
    const half = Math.ceil(files.length / 2);
    const { edits: first } = await appliedFiles(files.slice(0, half), choice, signal, refused);
    const { edits: second } = await appliedFiles(files.slice(half), choice, signal, refused);
    return { edits: [...first, ...second], refused };
  }
}

class RefusedManifests extends CommandError {
  /** Of kubectl. */
  readonly words: string;

  constructor(words: string) {
    super(`kubectl apply --dry-run=server refused the manifests:\n${words}`);
    this.words = words;
  }
}

function editOf(object: z.infer<typeof stored>): readonly Edit[] {
  const { kind, apiVersion, metadata } = object;
  if (kind === 'Secret')
    return [{ type: 'apply', resource: secretsWithData, object, of: undefined }];
  if (!isKind(kind) || !apiVersion.startsWith(`${resourceTypes[kind].group}/`)) return [];
  return [
    {
      type: 'apply',
      resource: resourceTypes[kind],
      object,
      of: { kind, key: resourceKey(metadata.namespace, metadata.name) },
    },
  ];
}

/** kubectl quotes whole objects in some errors. The begin and the end of such a line name the problem. */
function shortened(line: string): string {
  return line.length <= 500 ? line : `${line.slice(0, 100)} ... ${line.slice(-300)}`;
}

async function run(command: string, args: readonly string[], signal: AbortSignal) {
  const child = spawn(command, args, { stdio: ['inherit', 'pipe', 'pipe'], signal });
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', (error) => {
      const isMissing = 'code' in error && error.code === 'ENOENT';
      reject(
        isMissing
          ? new CommandError(`${command} was not found: install it, since it reads the manifests`)
          : error,
      );
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
