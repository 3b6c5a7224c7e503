import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { definitions } from '../resources/definitions.ts';

export class DemoFailed extends Error {
  override readonly name = 'DemoFailed';
}

/** The cluster of the demo. Only its start does not use kubectl. */
export interface Cluster extends AsyncDisposable {
  /** Shell lines that point kubectl at this cluster. */
  readonly environment: string;
  install(namespace: string): Promise<void>;
  operatorKubeconfig(): Promise<string>;
  apply(namespace: string, file: string): Promise<void>;
  remove(namespace: string, file: string): Promise<void>;
  look(namespace: string): Promise<{
    readonly table: string;
    readonly count: number;
    readonly ready: boolean;
    readonly why: string;
  }>;
  /** Keys of a Secret with their values; secret values are masked. */
  secretKeys(namespace: string, name: string): Promise<readonly (readonly [string, string])[]>;
}

const repository = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url));

const object = z.object({
  kind: z.string(),
  metadata: z.object({ name: z.string(), generation: z.number().optional() }),
  status: z
    .object({
      observedGeneration: z.number().optional(),
      conditions: z
        .array(
          z.object({
            type: z.string(),
            status: z.string(),
            reason: z.string(),
            message: z.string(),
          }),
        )
        .default([]),
    })
    .optional(),
});
const list = z.object({ items: z.array(object) });
const secret = z.object({ data: z.record(z.string(), z.string()).default({}) });
const masked: ReadonlySet<string> = new Set(['password', 'uri', 'pooler-uri', 'vpc-uri']);

/** Builds the control plane first if necessary, which takes minutes and is reported. */
export async function cluster(
  say: (detail: string) => void,
  signal: AbortSignal,
): Promise<Cluster> {
  const { startControlPlane } = await import('../../test/control-plane/control-plane.ts');
  const { install } = await import('../../test/control-plane/install.ts');
  const { kubectl, serviceAccountToken } = await import('../../test/control-plane/kubectl.ts');
  const { kubeconfigFor, kubeconfigText } = await import('../../test/control-plane/kubeconfig.ts');
  const { ControlPlaneError } = await import('../../test/control-plane/control-plane-error.ts');
  const plane = await startControlPlane({
    helm: false,
    crds: repository('crds'),
    progress: { update: say, done: say },
  }).catch((error: unknown) => {
    throw error instanceof ControlPlaneError ? new DemoFailed(error.message) : error;
  });
  if (signal.aborted) {
    await plane.stop();
    throw new DemoFailed('ended by Ctrl-C');
  }
  const { handle } = plane;
  const run = async (args: readonly string[]): Promise<string> => {
    const result = await kubectl(handle, args);
    if (result.code !== 0) throw new DemoFailed(`kubectl ${args.join(' ')}\n${result.stderr}`);
    return result.stdout;
  };
  return {
    environment: `export KUBECONFIG=${handle.kubeconfigPath} PATH=${handle.binDir}:$PATH`,
    async install(namespace) {
      await install(handle).catch((error: unknown) => {
        throw error instanceof Error ? new DemoFailed(error.message) : error;
      });
      await run(['create', 'namespace', namespace]);
    },
    async operatorKubeconfig() {
      const token = await serviceAccountToken(handle, 'managed-db-system', 'managed-db-operator');
      return kubeconfigText(kubeconfigFor(handle, { token }));
    },
    apply: async (namespace, file) => void (await run(['apply', '-n', namespace, '-f', file])),
    remove: async (namespace, file) =>
      void (await run(['delete', '-n', namespace, '--wait=false', '-f', file])),
    async look(namespace) {
      const all = ['get', '-n', namespace, definitions.map(({ plural }) => plural).join(',')];
      // In this order, so that the table is never older than the answer whether all is Ready.
      const json = await run([...all, '-o', 'json']);
      const table = await run(all);
      const { items } = list.parse(JSON.parse(json));
      const waiting = items.filter((item) => !isReady(item));
      const why = waiting.map(({ kind, metadata, status }) => {
        const synced = status?.conditions.find(({ type }) => type === 'Synced');
        return `  ${kind} ${metadata.name}: ${synced?.reason ?? 'no status'}: ${synced?.message ?? 'the operator did not look at it'}`;
      });
      return {
        table: items.length === 0 ? 'Nothing is left.' : withShortKinds(table.trimEnd()),
        count: items.length,
        ready: items.length > 0 && waiting.length === 0,
        why: why.join('\n'),
      };
    },
    async secretKeys(namespace, name) {
      const { data } = secret.parse(
        JSON.parse(await run(['get', 'secret', '-n', namespace, name, '-o', 'json'])),
      );
      return Object.entries(data).map(([key, value]) => [key, shown(key, value)] as const);
    },
    [Symbol.asyncDispose]: () => plane.stop(),
  };
}

/** Without the API group in each line, kubectl's tables fit into a terminal. kubectl takes `managedservice/orders`, too. */
function withShortKinds(tables: string): string {
  return tables.replaceAll('.managed-db.io/', '/').replaceAll(/^NAME {14}/gmu, 'NAME');
}

function shown(key: string, value: string): string {
  return masked.has(key) ? '********' : Buffer.from(value, 'base64').toString('utf8');
}

function isReady({ metadata, status }: z.infer<typeof object>): boolean {
  const isTrue = (wanted: string) =>
    status?.conditions.some((each) => each.type === wanted && each.status === 'True') === true;
  return isTrue('Ready') && isTrue('Synced') && status?.observedGeneration === metadata.generation;
}
