import { spawn } from 'node:child_process';
import { access, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isAlive, whileLocked } from './build-lock.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import type { Progress } from './progress.ts';
import { minutesAndSeconds } from './progress.ts';

/** There is no control plane and no Go to build it; the message names in two lines the programs to install. */
export class ToolsMissing extends ControlPlaneError {
  override readonly name = 'ToolsMissing';
  constructor() {
    super(
      'A Kubernetes control plane is needed and is built once, from source: install Go 1.26 or newer (https://go.dev/dl) and try again.\n' +
        'Or set KUBEBUILDER_ASSETS to a folder that has the programs: etcd, kube-apiserver, kube-controller-manager, kubectl, helm. What it lacks is built.',
    );
  }
}

/** `go build` failed; the message ends with the last lines of its output. */
export class BuildFailed extends ControlPlaneError {
  override readonly name = 'BuildFailed';
}

const usually = 'usually 5 to 10 min, once';
/** Where in go.mod the programs come from. */
const packages: ReadonlyMap<string, string> = new Map([
  ['etcd', 'go.etcd.io/etcd/server/v3'],
  ['kube-apiserver', 'k8s.io/kubernetes/cmd/kube-apiserver'],
  ['kube-controller-manager', 'k8s.io/kubernetes/cmd/kube-controller-manager'],
  ['kubectl', 'k8s.io/kubernetes/cmd/kubectl'],
  ['helm', 'helm.sh/helm/v4/cmd/helm'],
]);
/** The further programs of a node, which only `npm run test:node` needs. */
const packagesOfNode: ReadonlyMap<string, string> = new Map([
  ['kubelet', 'k8s.io/kubernetes/cmd/kubelet'],
  ['kube-proxy', 'k8s.io/kubernetes/cmd/kube-proxy'],
  ['kube-scheduler', 'k8s.io/kubernetes/cmd/kube-scheduler'],
]);

export interface Build {
  /** The folder of the go.mod that names the versions. */
  readonly module: string;
  /** The folder to build into. */
  readonly folder: string;
}

/** Builds these programs; each appears in the folder complete or not at all. */
export async function buildBinaries(
  { module, folder }: Build,
  programs: readonly string[],
  progress: Progress,
): Promise<void> {
  await requireGo();
  await mkdir(dirname(folder), { recursive: true });
  const since = Date.now();
  const elapsed = () => minutesAndSeconds(Date.now() - since);
  const onWait = (holder: string) =>
    progress.update(
      `waiting for process ${holder} to build the control plane: ${elapsed()} (${usually})`,
    );
  await whileLocked(`${folder}.lock`, onWait, async () => {
    const present = await Promise.all(programs.map((name) => isThere(join(folder, name))));
    const missing = programs.filter((_, at) => !present[at]);
    if (missing.length === 0) return;
    await removeLeftovers(folder);
    const what = missing.length === packages.size ? '' : ` (${missing.join(', ')})`;
    await buildInto({ module, folder }, missing, () =>
      progress.update(`building the Kubernetes control plane${what}: ${elapsed()} (${usually})`),
    );
  });
  progress.done(`the Kubernetes control plane is built, after ${elapsed()}: ${folder}`);
}

async function buildInto(
  { module, folder }: Build,
  programs: readonly string[],
  tick: () => void,
): Promise<void> {
  const unfinished = `${folder}.unfinished-${process.pid}`;
  tick();
  const ticking = setInterval(tick, 1000);
  try {
    await goBuild({ module, folder: unfinished }, programs);
    await mkdir(folder, { recursive: true });
    // A build at the same time may have been quicker: either is as good.
    for (const name of programs)
      await rename(join(unfinished, builtName(name)), join(folder, name));
  } finally {
    clearInterval(ticking);
    await rm(unfinished, { recursive: true, force: true });
  }
}

async function requireGo(): Promise<void> {
  const { code } = await run('.', 'go', ['version']).catch(() => ({ code: 1 }));
  if (code !== 0) throw new ToolsMissing();
}

/** Go names a program after the last part of its path that is no version. */
function builtName(program: string): string {
  return program === 'etcd' ? 'server' : program;
}

async function goBuild({ module, folder }: Build, programs: readonly string[]): Promise<void> {
  const linkerFlags = `-s -w ${await versionFlags(module)}`;
  const paths = programs.map((name) => packages.get(name) ?? packagesOfNode.get(name) ?? name);
  const result = await run(module, 'go', [
    'build',
    '-mod=readonly',
    '-ldflags',
    linkerFlags,
    '-o',
    `${folder}/`,
    ...paths,
  ]);
  if (result.code === 0) return;
  throw new BuildFailed(
    `go could not build the Kubernetes control plane; the end of its output:\n${result.tail}`,
  );
}

/** Without a version from its build, the server says v0.0.0, and kubectl and helm complain. */
async function versionFlags(module: string): Promise<string> {
  const goMod = await readFile(join(module, 'go.mod'), 'utf8');
  const [, version, major, minor] = /k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\S+)/.exec(goMod) ?? [];
  const values = { gitVersion: version, gitMajor: major, gitMinor: minor, gitTreeState: 'clean' };
  return Object.entries(values)
    .map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
    .join(' ');
}

async function run(
  cwd: string,
  command: string,
  args: readonly string[],
): Promise<{ code: number; tail: string }> {
  // A go.work in a folder above would bring other versions.
  const env = { ...process.env, GOWORK: 'off' };
  const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] });
  let tail = '';
  child.stderr
    .setEncoding('utf8')
    .on('data', (chunk: string) => (tail = (tail + chunk).slice(-3000)));
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status) => resolve(status ?? 1));
  });
  return { code, tail: tail.trimEnd().split('\n').slice(-20).join('\n') };
}

/** Folders of builds whose process was killed. */
async function removeLeftovers(folder: string): Promise<void> {
  const prefix = `${basename(folder)}.unfinished-`;
  const siblings = await readdir(dirname(folder));
  const dead = siblings.filter(
    (name) => name.startsWith(prefix) && !isAlive(Number(name.slice(prefix.length))),
  );
  await Promise.all(
    dead.map((name) => rm(join(dirname(folder), name), { recursive: true, force: true })),
  );
}

/** Whether a file or folder is there. */
export async function isThere(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
