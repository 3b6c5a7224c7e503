import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { parseAllDocuments } from 'yaml';
import * as z from 'zod';
import { secretsWithData } from '../../resources/connection-secret.ts';
import { approvalPrefix } from '../../resources/annotations.ts';
import { isKind, resourceTypes, type Kind } from '../../resources/managed-object.ts';
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
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string().optional(),
    annotations: z.record(z.string(), z.string()).optional(),
  }),
});
const reply = z.union([
  z.object({ kind: z.literal('List'), items: z.array(stored) }),
  stored.transform((item) => ({ items: [item] })),
]);

type Choice = ClusterChoice & { readonly namespace?: string | undefined };

/** The objects of manifests, and kubectl's words about each refused manifest. */
export interface Applied<T> {
  readonly edits: readonly Edit[];
  readonly refused: ReadonlyMap<T, string>;
}

/**
 * The objects of manifests as the API server would store them: `kubectl apply --dry-run=server` fills in defaults and
 * asks admission policies. Nothing is stored. A refused manifest does not hold up the others. Refused manifests are
 * tried again without their approvals: a plan needs no right to approve.
 * @returns also kubectl's words by each refused object, such as `ManagedService orders`
 * @throws {CommandError} if kubectl cannot read a manifest, or refuses all of them or more than twenty
 */
export async function appliedManifests(
  manifests: Manifests,
  choice: Choice,
  signal: AbortSignal,
): Promise<Applied<string>> {
  const input = manifests.files.includes('-') ? await text(process.stdin) : '';
  try {
    return { edits: await dryRun(manifests, choice, signal, input), refused: new Map() };
  } catch (error) {
    if (!(error instanceof RefusedManifests)) throw error;
    const asWritten = await readManifests(manifests, choice, signal, input);
    const objects = asWritten.map(withoutApprovals);
    const isSame = objects.every((each, at) => each === asWritten[at]);
    if (objects.length === 0 || (objects.length === 1 && isSame)) throw error;
    const alone = { ...manifests, files: ['-'], kustomize: undefined, isRecursive: false };
    const { edits, refused } = await inHalves(objects, (items) =>
      dryRun(alone, choice, signal, JSON.stringify({ apiVersion: 'v1', kind: 'List', items })),
    );
    if (refused.size === objects.length) throw error;
    return {
      edits,
      refused: new Map(
        [...refused].map(([{ kind, metadata }, words]) => [`${kind} ${metadata.name}`, words]),
      ),
    };
  }
}

/** The operator's objects in manifests, as they are written. @throws {CommandError} if kubectl cannot read the manifests */
export async function objectsInManifests(
  manifests: Manifests,
  choice: Choice,
  signal: AbortSignal,
): Promise<
  readonly { readonly kind: Kind; readonly namespace: string | undefined; readonly name: string }[]
> {
  const input = manifests.files.includes('-') ? await text(process.stdin) : '';
  const objects = await readManifests(manifests, choice, signal, input);
  if (objects.length === 0)
    throw new CommandError(
      'kubectl cannot read the manifests: check -f with kubectl apply --dry-run=client',
    );
  return objects.flatMap(({ kind, apiVersion, metadata: { namespace, name } }) =>
    isKind(kind) && apiVersion.startsWith(`${resourceTypes[kind].group}/`)
      ? [{ kind, namespace, name }]
      : [],
  );
}

/** The same object if it has no approval. Pure. */
function withoutApprovals(object: z.infer<typeof stored>): z.infer<typeof stored> {
  const { annotations = {}, ...metadata } = object.metadata;
  const kept = Object.entries(annotations).filter(([name]) => !name.startsWith(approvalPrefix));
  if (kept.length === Object.keys(annotations).length) return object;
  return { ...object, metadata: { ...metadata, annotations: Object.fromEntries(kept) } };
}

/** The objects of manifests as they are written; none if kubectl cannot read all of them. */
async function readManifests(
  manifests: Manifests,
  choice: Choice,
  signal: AbortSignal,
  input: string,
): Promise<readonly z.infer<typeof stored>[]> {
  const args = ['create', '--dry-run=client', '--validate=false', '--output=yaml'];
  const all = [...args, ...argumentsOf(manifests, choice)];
  const { stdout, code } = await run('kubectl', all, signal, input);
  if (code !== 0) return [];
  return parseAllDocuments(stdout).flatMap((each) => reply.parse(each.toJS()).items);
}

async function dryRun(
  manifests: Manifests,
  choice: Choice,
  signal: AbortSignal,
  input: string,
): Promise<readonly Edit[]> {
  const { serverSideManager } = manifests;
  const args = [
    'apply',
    '--dry-run=server',
    '--output=json',
    ...argumentsOf(manifests, choice),
    ...(serverSideManager === undefined
      ? []
      : ['--server-side', '--force-conflicts', `--field-manager=${serverSideManager}`]),
  ];
  const { stdout, stderr, code } = await run('kubectl', args, signal, input);
  if (code !== 0) throw new RefusedManifests(stderr.trim().split('\n').map(shortened).join('\n'));
  return reply.parse(JSON.parse(stdout)).items.flatMap(editOf);
}

function argumentsOf(
  { files, kustomize, isRecursive }: Manifests,
  { kubeconfig, context, namespace }: Choice,
): readonly string[] {
  return [
    ...files.map((file) => `--filename=${file}`),
    ...(kustomize === undefined ? [] : [`--kustomize=${kustomize}`]),
    ...(isRecursive ? ['--recursive'] : []),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
  ];
}

/** More refused manifests have a common cause, which kubectl's words about all of them show. */
const mostRefused = 20;

/**
 * The objects of manifests as {@link appliedManifests}, each in a file of its own.
 * @returns also kubectl's words by the path of each refused file
 * @throws {CommandError} if more than twenty files are refused, or kubectl is missing
 */
export async function appliedFiles(
  files: readonly string[],
  choice: Choice,
  signal: AbortSignal,
): Promise<Applied<string>> {
  return inHalves(files, (part) =>
    dryRun({ files: part, kustomize: undefined, isRecursive: false }, choice, signal, ''),
  );
}

/** Halves of the manifests at a time: few are refused, and each run of kubectl takes a while. */
async function inHalves<T>(
  all: readonly T[],
  apply: (part: readonly T[]) => Promise<readonly Edit[]>,
  refused = new Map<T, string>(),
): Promise<Applied<T>> {
  try {
    return { edits: await apply(all), refused };
  } catch (error) {
    if (!(error instanceof RefusedManifests) || refused.size >= mostRefused) throw error;
    const [only, ...more] = all;
    if (only !== undefined && more.length === 0) {
      refused.set(only, error.words);
      return { edits: [], refused };
    }
    const half = Math.ceil(all.length / 2);
    const { edits: first } = await inHalves(all.slice(0, half), apply, refused);
    const { edits: second } = await inHalves(all.slice(half), apply, refused);
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

async function run(command: string, args: readonly string[], signal: AbortSignal, input: string) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], signal });
  // kubectl may end without having read its input. Its exit code is then the error.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
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
