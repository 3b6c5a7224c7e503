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
const reply = z.union([z.object({ kind: z.literal('List'), items: z.array(stored) }), stored.transform((item) => ({ items: [item] }))]);

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
    ...(serverSideManager === undefined ? [] : ['--server-side', '--force-conflicts', `--field-manager=${serverSideManager}`]),
    ...(kubeconfig === undefined ? [] : [`--kubeconfig=${kubeconfig}`]),
    ...(context === undefined ? [] : [`--context=${context}`]),
    ...(namespace === undefined ? [] : [`--namespace=${namespace}`]),
  ];
  const { stdout, stderr, code } = await run('kubectl', args, signal);
  if (code !== 0)
    throw new CommandError(`kubectl apply --dry-run=server refused the manifests:\n${stderr.trim().split('\n').map(shortened).join('\n')}`);
  return reply.parse(JSON.parse(stdout)).items.flatMap(editOf);
}

function editOf(object: z.infer<typeof stored>): readonly Edit[] {
  const { kind, apiVersion, metadata } = object;
  if (kind === 'Secret') return [{ type: 'apply', resource: secretsWithData, object, of: undefined }];
  if (!isKind(kind) || !apiVersion.startsWith(`${resourceTypes[kind].group}/`)) return [];
  return [{ type: 'apply', resource: resourceTypes[kind], object, of: { kind, key: resourceKey(metadata.namespace, metadata.name) } }];
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
      reject(isMissing ? new CommandError(`${command} was not found: install it, since it reads the manifests`) : error);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { stdout, stderr, code };
}
