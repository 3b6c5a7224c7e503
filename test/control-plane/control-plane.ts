import { randomBytes } from 'node:crypto';
import { cp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { resolveBinaries, type Program } from './binaries.ts';
import { adminKubeconfig, kubeconfigText } from './kubeconfig.ts';
import { kubectl } from './kubectl.ts';
import type { Progress } from './progress.ts';
import { terminalProgress } from './progress.ts';
import { ServerGuard } from './server-guard.ts';
import { prepareFolder, startApiServer, startControllerManager, startEtcd } from './servers.ts';

/** Where a running control plane is and how to talk to it. Plain data: it survives JSON, so other processes can use it. */
export interface ControlPlaneHandle {
  /** `https://127.0.0.1:<port>` */
  readonly server: string;
  /** The certificate that the server signed for itself, as PEM in base64, as in a kubeconfig's `certificate-authority-data`. */
  readonly caData: string;
  /** Bearer token of `admin`, a member of `system:masters`. */
  readonly adminToken: string;
  /** A kubeconfig for `admin`. Gone once the control plane has stopped. */
  readonly kubeconfigPath: string;
  readonly kubectlPath: string;
  /** Where helm is, if it was asked for. */
  readonly helmPath: string;
  /** The folder of `kubectlPath`. */
  readonly binDir: string;
}

export interface ControlPlaneOptions {
  /** CustomResourceDefinitions, a file or folder: applied and established before the start counts as done. */
  readonly crds?: string;
  /** Whether `helmPath` is needed, too. Default true. */
  readonly helm?: boolean;
  /** Deployments become ReplicaSets and Pods. Only a test may bring a kubelet to run them. */
  readonly workloads?: boolean;
  /** The user and the target of each request of a ServiceAccount, a line of JSON each, in `auditLogPath`. */
  readonly audit?: boolean;
  /**
   * How far the servers' heaps grow between two collections, in percent: Go's `GOGC`. Default 400: a quarter less CPU than with Go's own 100, for some 300 MB
   * more. Measurements take 100, as a real cluster does.
   */
  readonly heapGrowth?: number;
  /** Gets long steps: a build from source above all. Default: a line on stderr. */
  readonly progress?: Progress;
}

/** A real etcd, kube-apiserver and kube-controller-manager (garbage collection, deletion of namespaces, aggregated ClusterRoles), with RBAC. */
export interface ControlPlane extends AsyncDisposable {
  readonly handle: ControlPlaneHandle;
  /** Empty where the option `audit` is not set. */
  readonly auditLogPath: string;
  /** Ends the API server alone and returns once its port is closed. etcd and the data stay. */
  stopApiServer(): Promise<void>;
  /** Starts it again, on the same port and data, with the same certificate; returns once it is ready. */
  startApiServer(): Promise<void>;
  restartApiServer(): Promise<void>;
  /** Keeps a copy of all data as it is now; the servers are away meanwhile. */
  backUp(): Promise<void>;
  /** Puts that copy back, as after a disaster: later writes are gone, and resourceVersions start again where they were. */
  restore(): Promise<void>;
  /** Ends all processes and removes their folder. Happens too when this process ends in any other way, SIGKILL included. */
  stop(): Promise<void>;
}

/**
 * Starts a control plane of its own: free ports on 127.0.0.1, a temporary folder, nothing shared but the binaries.
 * Several may run at the same time. Takes about 4 s; minutes when the binaries have to be built first.
 * @throws {ToolsMissing} when there is nothing to start and nothing to build with
 * @throws {BuildFailed} with the end of the output of `go build`
 * @throws {ServerFailed} with the end of the log of the server that did not start
 */
export async function startControlPlane(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
  const servers: readonly Program[] = ['etcd', 'apiServer', 'controllerManager', 'kubectl'];
  const needed: readonly Program[] = options.helm === false ? servers : [...servers, 'helm'];
  const binaries = await resolveBinaries(
    options.progress ?? terminalProgress(process.stderr),
    needed,
  );
  const guard = await ServerGuard.start(options.heapGrowth ?? 400);
  try {
    const adminToken = randomBytes(24).toString('base64url');
    await prepareFolder(guard.folder, adminToken);
    const etcdPort = await startEtcd(guard, binaries.etcd);
    const auditLogPath = options.audit ? join(guard.folder, 'audit.log') : '';
    const port = await startApiServer(guard, binaries.apiServer, {
      etcdPort,
      adminToken,
      auditLogPath,
    });
    const kubeconfigPath = join(guard.folder, 'kubeconfig');
    const handle: ControlPlaneHandle = {
      server: `https://127.0.0.1:${port}`,
      caData: await readFile(join(guard.folder, 'certs', 'apiserver.crt'), 'base64'),
      adminToken,
      kubeconfigPath,
      kubectlPath: binaries.kubectl,
      helmPath: binaries.helm,
      binDir: dirname(binaries.kubectl),
    };
    await guard.write('kubeconfig', kubeconfigText(adminKubeconfig(handle)));
    // Before the controller manager: its garbage collector looks for new kinds only every 30 s.
    if (options.crds) await applyCrds(handle, options.crds);
    await startControllerManager(guard, binaries.controllerManager, options.workloads ?? false);
    return running(guard, handle, auditLogPath, {
      etcd: async () => void (await startEtcd(guard, binaries.etcd, etcdPort)),
      apiServer: async () =>
        void (await startApiServer(guard, binaries.apiServer, {
          etcdPort,
          adminToken,
          auditLogPath,
          port,
        })),
    });
  } catch (error) {
    await guard.stop();
    throw error;
  }
}

function running(
  guard: ServerGuard,
  handle: ControlPlaneHandle,
  auditLogPath: string,
  start: Readonly<Record<'etcd' | 'apiServer', () => Promise<void>>>,
): ControlPlane {
  const stopServer = () => guard.end('kube-apiserver');
  const data = join(guard.folder, 'etcd');
  const copy = join(guard.folder, 'backup');
  const whileAway = async (work: () => Promise<void>) => {
    await stopServer();
    await guard.end('etcd');
    await work();
    await start.etcd();
    await start.apiServer();
  };
  return {
    handle,
    auditLogPath,
    stopApiServer: stopServer,
    startApiServer: start.apiServer,
    restartApiServer: async () => {
      await stopServer();
      await start.apiServer();
    },
    backUp: () =>
      whileAway(async () => {
        await rm(copy, { recursive: true, force: true });
        await cp(data, copy, { recursive: true });
      }),
    restore: () =>
      whileAway(async () => {
        await rm(data, { recursive: true });
        await cp(copy, data, { recursive: true });
      }),
    stop: () => guard.stop(),
    [Symbol.asyncDispose]: () => guard.stop(),
  };
}

/** Applies CustomResourceDefinitions, a file or folder, and waits until the API server serves them. */
export async function applyCrds(handle: ControlPlaneHandle, path: string): Promise<void> {
  const names = (await stat(path)).isDirectory() ? await readdir(path) : undefined;
  const files = names
    ?.filter((name) => name !== 'kustomization.yaml')
    .map((name) => join(path, name)) ?? [path];
  const given = files.flatMap((file) => ['-f', file]);
  const applied = await kubectl(handle, ['apply', '--server-side', ...given]);
  if (applied.code !== 0) throw new Error(`kubectl apply ${path}: ${applied.stderr}`);
  const established = await kubectl(handle, [
    'wait',
    '--for=condition=Established',
    '--timeout=30s',
    ...given,
  ]);
  if (established.code !== 0) throw new Error(`kubectl wait ${path}: ${established.stderr}`);
}
