import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { access, readFile, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildBinaries } from './build.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import type { Progress } from './progress.ts';

/** Paths of the programs that a control plane consists of. */
export interface Binaries {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly kubectl: string;
  readonly helm: string;
}

const files: Readonly<Record<keyof Binaries, string>> = {
  etcd: 'etcd',
  apiServer: 'kube-apiserver',
  controllerManager: 'kube-controller-manager',
  kubectl: 'kubectl',
  helm: 'helm',
};

export type Program = keyof Binaries;
const all: readonly Program[] = ['etcd', 'apiServer', 'controllerManager', 'kubectl', 'helm'];

/** The further programs of a node. */
const ofNode = ['kubelet', 'kube-proxy', 'kube-scheduler'];

/** The programs that belong to a version of Kubernetes. etcd and helm stay the same on each version. */
const versioned: readonly Program[] = ['apiServer', 'controllerManager', 'kubectl'];

/** `$MANAGED_DB_TEST_KUBERNETES` names an older version of Kubernetes that has no module. */
export class UnknownVersion extends ControlPlaneError {
  override readonly name = 'UnknownVersion';
  constructor(version: string, known: readonly string[]) {
    super(
      `there is no module for Kubernetes "${version}" in test/control-plane/kubernetes: choose ${known.join(', ')}`,
    );
  }
}

/**
 * The programs, each from the first of these that has it: `$KUBEBUILDER_ASSETS`, which setup-envtest fills with etcd, kube-apiserver and kubectl;
 * those built before, in `${XDG_CACHE_HOME:-~/.cache}/managed-db-operator/control-plane/<hash of go.mod>`; else they are built there now.
 * If `$MANAGED_DB_TEST_KUBERNETES` names an older version, its programs come from a build of that version alone.
 * @param needed only these are sure to be there
 */
export async function resolveBinaries(
  progress: Progress,
  needed: readonly Program[] = all,
): Promise<Binaries> {
  const current = fileURLToPath(new URL('.', import.meta.url));
  const version = process.env['MANAGED_DB_TEST_KUBERNETES'];
  if (!version) return binariesOf(current, progress, needed, all);
  const { apiServer, controllerManager, kubectl } = await binariesOf(
    await moduleOf(version),
    progress,
    needed,
    versioned,
  );
  const others = needed.filter((program) => !versioned.includes(program));
  return {
    ...(await binariesOf(current, progress, others, all)),
    apiServer,
    controllerManager,
    kubectl,
  };
}

async function moduleOf(version: string): Promise<string> {
  const folder = new URL('kubernetes/', import.meta.url);
  const known = (await readdir(folder)).toSorted();
  if (!known.includes(version)) throw new UnknownVersion(version, known);
  return fileURLToPath(new URL(version, folder));
}

/** @param programs those that the module has; `$KUBEBUILDER_ASSETS` counts only for a module that has all of them */
async function binariesOf(
  module: string,
  progress: Progress,
  needed: readonly Program[],
  programs: readonly Program[],
): Promise<Binaries> {
  const assets = programs === all ? process.env['KUBEBUILDER_ASSETS'] : undefined;
  const folder = await cacheFolder(module);
  const built = inFolder(folder);
  const given = assets ? inFolder(assets) : built;
  const found = { ...built };
  const missing: Program[] = [];
  for (const program of programs) {
    if (await isThere(given[program])) found[program] = given[program];
    else if (needed.includes(program) && !(await isThere(built[program]))) missing.push(program);
  }
  if (missing.length > 0) {
    const names = missing.map((program) => files[program]);
    await buildBinaries({ module, folder }, names, progress);
  }
  return found;
}

/**
 * The folders that have all programs of a control plane and of a node, for `$PATH`. kubelet, kube-proxy and
 * kube-scheduler belong to the version of go.mod, and are built at their first use.
 */
export async function nodePrograms(progress: Progress): Promise<readonly string[]> {
  const module = fileURLToPath(new URL('.', import.meta.url));
  const folder = await cacheFolder(module);
  const present = await Promise.all(ofNode.map(async (name) => isThere(join(folder, name))));
  const missing = ofNode.filter((_, at) => !present[at]);
  if (missing.length > 0) await buildBinaries({ module, folder }, missing, progress);
  const others = Object.values(await resolveBinaries(progress)).map(dirname);
  return [...new Set([folder, ...others])];
}

/** Named after go.mod: another version of a program is another folder. */
async function cacheFolder(module: string): Promise<string> {
  const goMod = await readFile(join(module, 'go.mod'));
  const hash = createHash('sha256').update(goMod).digest('hex').slice(0, 16);
  // An empty variable counts as unset, as the XDG specification has it.
  const cacheHome = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return join(cacheHome, 'managed-db-operator', 'control-plane', hash);
}

function inFolder(folder: string): Record<Program, string> {
  return {
    etcd: join(folder, files.etcd),
    apiServer: join(folder, files.apiServer),
    controllerManager: join(folder, files.controllerManager),
    kubectl: join(folder, files.kubectl),
    helm: join(folder, files.helm),
  };
}

async function isThere(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
