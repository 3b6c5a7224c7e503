import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as z from 'zod';
import { applyCrds, type ControlPlaneHandle } from '../control-plane/control-plane.ts';
import { kubectl } from '../control-plane/kubectl.ts';
import { ServerGuard } from '../control-plane/server-guard.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';
import { until } from '../support/until.ts';
import { sourceDefinitions } from './source-definitions.ts';

const run = promisify(execFile);
const module = fileURLToPath(new URL('go/kustomize-controller', import.meta.url));

/** Flux reads a shorter `timeout` of a health check as 30 s, and looks at nothing new until a running check ends. */
const patienceMs = 75_000;

/** Flux's kustomize-controller on a cluster, with a publisher in place of Git and source-controller. */
export interface Flux extends AsyncDisposable {
  /** A repository of Git in this namespace, and a Kustomization that applies it there. */
  repository(namespace: string, name?: string): Repository;
}

export interface Repository {
  /** Replaces all manifests of the repository, as a commit does. @returns the revision */
  commit(...manifests: readonly object[]): Promise<string>;
  /** Applies the Kustomization. @param spec in addition to `prune: true` and `wait: true` */
  kustomize(spec?: object): Promise<void>;
  /** Requests a reconciliation, as `flux reconcile` does, and waits until the controller took it. */
  reconcile(): Promise<void>;
  see(): Promise<Kustomization>;
  /** Waits until the Kustomization has this reason. @returns its message */
  untilReason(reason: string): Promise<string>;
  /** Waits until the newest commit is applied, and the health checks have passed. */
  untilReady(): Promise<void>;
}

/** How the controller reports on a Kustomization. */
export type Kustomization = z.infer<typeof kustomization>['status'];
const kustomization = z.object({
  status: z
    .object({
      lastAppliedRevision: z.string().default(''),
      lastHandledReconcileAt: z.string().default(''),
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
    .prefault({}),
});

/** Starts kustomize-controller as the administrator of this cluster. It ends with this process, too. */
export async function startFlux(handle: ControlPlaneHandle, program: string): Promise<Flux> {
  await using stack = new AsyncDisposableStack();
  await define(handle);
  const store = new Map<string, Buffer>();
  const server = createServer((request, response) => {
    const found = store.get(request.url ?? '');
    response.writeHead(found ? 200 : 404).end(found);
  }).listen(0, '127.0.0.1');
  stack.defer(() => void server.close());
  await once(server, 'listening');
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  const guard = await ServerGuard.start(100);
  stack.defer(() => guard.stop());
  await guard.launch('kustomize-controller', 'env', [
    `KUBECONFIG=${handle.kubeconfigPath}`,
    'RUNTIME_NAMESPACE=flux-system',
    program,
    '--metrics-addr=0',
    '--health-addr=127.0.0.1:0',
    '--no-remote-bases',
    '--concurrent=10',
    '--requeue-dependency=1s',
  ]);
  const owned = stack.move();
  return {
    repository: (namespace, name = 'databases') =>
      repository({ handle, namespace, name, url: `http://127.0.0.1:${port}`, store }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The definition of Kustomization is from the module of the controller. */
async function define(handle: ControlPlaneHandle): Promise<void> {
  await using folder = await temporaryFolder();
  const { stdout } = await run(
    'go',
    ['mod', 'download', '-json', 'github.com/fluxcd/kustomize-controller'],
    { cwd: module, env: { ...process.env, GOWORK: 'off' } },
  );
  const { Dir } = z.object({ Dir: z.string() }).parse(JSON.parse(stdout));
  const sources = join(folder.path, 'sources.json');
  await writeFile(
    sources,
    JSON.stringify({ apiVersion: 'v1', kind: 'List', items: sourceDefinitions }),
  );
  await applyCrds(handle, sources);
  await applyCrds(handle, join(Dir, 'config', 'crd', 'bases'));
}

interface Place {
  readonly handle: ControlPlaneHandle;
  readonly namespace: string;
  readonly name: string;
  /** Where the controller fetches artifacts. */
  readonly url: string;
  readonly store: Map<string, Buffer>;
}

function ready({ conditions }: Kustomization) {
  return conditions.find(({ type }) => type === 'Ready');
}

function repository({ handle, namespace, name, url, store }: Place): Repository {
  let revision = '';
  const inNamespace = async (args: readonly string[], input?: object) => {
    const { stdout, stderr, code } = await kubectl(
      handle,
      ['--namespace', namespace, ...args],
      input ? { input: JSON.stringify(input) } : {},
    );
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };
  const apply = (object: object) => inNamespace(['apply', '--server-side', '-f', '-'], object);
  const see = async () => {
    const text = await inNamespace(['get', 'kustomization', name, '-o', 'json']);
    return kustomization.parse(JSON.parse(text)).status;
  };
  return {
    async commit(...manifests) {
      const archive = await archiveOf(manifests);
      const digest = createHash('sha256').update(archive).digest('hex');
      store.set(`/${digest}.tar.gz`, archive);
      revision = `main@sha1:${digest.slice(0, 40)}`;
      const now = new Date().toISOString().replace(/\.\d+Z$/u, 'Z');
      await apply({
        apiVersion: 'source.toolkit.fluxcd.io/v1',
        kind: 'GitRepository',
        metadata: { name },
        spec: { url: `${url}/${name}`, interval: '1h' },
      });
      const artifact = {
        path: `${digest}.tar.gz`,
        url: `${url}/${digest}.tar.gz`,
        revision,
        digest: `sha256:${digest}`,
        lastUpdateTime: now,
        size: archive.length,
      };
      const stored = { type: 'Ready', status: 'True', reason: 'Succeeded', message: 'stored' };
      const conditions = [{ ...stored, lastTransitionTime: now }];
      const status = JSON.stringify({ status: { artifact, conditions, observedGeneration: 1 } });
      await inNamespace([
        'patch',
        'gitrepository',
        name,
        '--subresource=status',
        '--type=merge',
        '-p',
        status,
      ]);
      return revision;
    },
    async kustomize(spec = {}) {
      await apply({
        apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
        kind: 'Kustomization',
        metadata: { name },
        spec: {
          interval: '1h',
          retryInterval: '10s',
          timeout: '30s',
          path: './',
          prune: true,
          wait: true,
          targetNamespace: namespace,
          sourceRef: { kind: 'GitRepository', name },
          ...spec,
        },
      });
    },
    async reconcile() {
      const token = `${Date.now()}`;
      const annotation = `reconcile.fluxcd.io/requestedAt=${token}`;
      await inNamespace(['annotate', '--overwrite', 'kustomization', name, annotation]);
      await until(
        `the Kustomization ${name} to be reconciled`,
        async () => (await see()).lastHandledReconcileAt === token,
        see,
        patienceMs,
      );
    },
    see,
    untilReason: (reason) =>
      until(
        `the Kustomization ${name} to say ${reason}`,
        async () => {
          const condition = ready(await see());
          return condition?.reason === reason && condition.message;
        },
        see,
        patienceMs,
      ),
    async untilReady() {
      await until(
        `the Kustomization ${name} to be Ready at ${revision}`,
        async () => {
          const seen = await see();
          return seen.lastAppliedRevision === revision && ready(seen)?.status === 'True';
        },
        see,
        patienceMs,
      );
    },
  };
}

async function archiveOf(manifests: readonly object[]): Promise<Buffer> {
  await using folder = await temporaryFolder();
  const documents = manifests.map((manifest) => JSON.stringify(manifest)).join('\n---\n');
  await writeFile(join(folder.path, 'all.yaml'), documents);
  const args = ['--sort=name', '--mtime=2026-01-01', '-czf', '-', '-C', folder.path, '.'];
  const { stdout } = await run('tar', args, { encoding: 'buffer', maxBuffer: 10_000_000 });
  return stdout;
}
